"""Drawing rows for people by what a judge said of them: rows told apart by SQL, drawn by `labeling`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Count, F, Max, Min, OuterRef, Q, QuerySet, Subquery

from judging.models import JudgeVersion, PanelMember, Run, Verdict
from judging.services.waves import said_word, waves_of
from labeling.access import AnyUser
from labeling.domain.strata import Part, Side, shares
from labeling.models import Candidate, CriteriaVersion, Draw, DrawnRow
from labeling.services.draws import (
    CannotDraw,
    Stratum,
    draw_disagreement,
    draw_random,
    draw_stratified,
    frame_of,
    lock_set,
)


@dataclass(frozen=True, slots=True)
class Share:
    """One stratum of a draw that is yet to be made: `taken` more of its rows."""

    name: str
    part: Part
    taken: int

    @property
    def probability(self) -> float:
        """Of each of its rows, drawn before or now."""
        return self.part.probability(self.taken)


@dataclass(frozen=True, slots=True)
class Preview:
    """What a draw by verdict would take. `beside`: rows that were labelled since without being drawn."""

    shares: list[Share] = field(default_factory=list)
    beside: int = 0

    @property
    def taken(self) -> int:
        """Rows that would go to people."""
        return sum(share.taken for share in self.shares)

    @property
    def left(self) -> int:
        """Rows that could be drawn."""
        return sum(share.part.left for share in self.shares)

    @property
    def aside(self) -> int:
        """Rows that leave the queue until they are drawn."""
        return self.left - self.taken

    @property
    def unjudged(self) -> int:
        """Rows that could be drawn and have no verdict."""
        return sum(share.part.left for share in self.shares if share.part.side == Side.NONE)

    @property
    def hardly_judged(self) -> bool:
        """Whether most rows that could be drawn lack a verdict, and no earlier draw settled that for good."""
        fresh = [share.part for share in self.shares if not share.part.drawn]
        return 2 * sum(part.left for part in fresh if part.side == Side.NONE) > self.left

    @property
    def counts_like(self) -> int:
        """How many rows drawn evenly say as much as all rows of the draw, those drawn before included."""
        counts = [
            (share.part.drawn + share.taken, 1 / share.probability)
            for share in self.shares
            if share.probability
        ]
        squares = sum(rows * weight**2 for rows, weight in counts)
        return int(sum(rows * weight for rows, weight in counts) ** 2 / squares + 1e-6) if squares else 0

    @property
    def rows(self) -> int:
        """All rows of the draw, those drawn before included."""
        return sum(share.part.drawn + share.taken for share in self.shares)

    @property
    def pass_rate(self) -> float | None:
        """The share that the judge passes of all rows with a verdict; None without any."""
        sizes = dict.fromkeys(Side, 0)
        for share in self.shares:
            sizes[share.part.side] += share.part.size
        judged = sizes[Side.PASS] + sizes[Side.FAIL]
        return sizes[Side.PASS] / judged if judged else None


def preview_stratified(version: CriteriaVersion, judge: JudgeVersion, most: int, now: datetime) -> Preview:
    """What `draw_by_verdict` would take now: counted by SQL."""
    frame, drawn = frame_of(version, now), _drawn_before(version)
    found = []
    for wave in waves_of(version, judge):
        left = dict(wave.of(frame).values_list("said").annotate(rows=Count("pk")))
        for side in Side:
            name = wave.name(side)
            part = Part(side, left.get(said_word(side), 0), len(drawn.get(name, ())))
            if part.size:
                found.append((name, part))
    taken = shares([part for _, part in found], most)
    rows = [Share(name, part, number) for (name, part), number in zip(found, taken, strict=True)]
    return Preview(rows, _beside(version, found))


def _beside(version: CriteriaVersion, found: Sequence[tuple[str, Part]]) -> int:
    """Rows of the newest draw's frame that are neither among its rows nor left any more."""
    last = Draw.objects.stratified(version.criteria_set_id).last()
    if last is None or last.frame is None:
        return 0
    of_last = set(_drawn_before(version))
    return max(0, last.frame - sum(part.size for name, part in found if name in of_last))


@transaction.atomic
def draw_by_verdict(
    *, version: CriteriaVersion, judge: JudgeVersion, most: int, seed: str, now: datetime, actor: AnyUser
) -> Draw:
    """Send `most` rows to people, enough of each verdict of `judge`. Raises `CannotDraw` and `Archived`."""
    lock_set(version)
    strata = [each for each in _strata(version, judge, now) if each.part.size]
    return draw_stratified(
        version=version, judge=str(judge), strata=strata, most=most, seed=seed, now=now, actor=actor
    )


def _strata(version: CriteriaVersion, judge: JudgeVersion, now: datetime) -> Iterator[Stratum]:
    frame, drawn = frame_of(version, now), _drawn_before(version)
    for wave in waves_of(version, judge):
        left: dict[Any, list[tuple[int, str]]] = {}
        for said, pk, content in wave.of(frame).values_list("said", "pk", "content_hash"):
            left.setdefault(said, []).append((pk, content))
        for side in Side:
            name = wave.name(side)
            yield Stratum(name, side, left.get(said_word(side), []), drawn.get(name, []))


def _drawn_before(version: CriteriaVersion) -> dict[str, list[int]]:
    """The rows of the draws by verdict so far, by stratum: the newest holds them all."""
    last = Draw.objects.stratified(version.criteria_set_id).last()
    found: dict[str, list[int]] = {}
    if last:
        for name, pk in last.rows.order_by("pk").values_list("stratum", "candidate_id"):
            found.setdefault(name, []).append(pk)
    return found


def judges_on(version: CriteriaVersion) -> QuerySet[JudgeVersion]:
    """The judge versions that were asked under the criteria version, alone or as jurors."""
    asked = Run.objects.filter(criteria_version=version).order_by().values("judge_version")
    found = Q(pk__in=asked) | Q(pk__in=PanelMember.objects.filter(panel__in=asked).values("juror"))
    return JudgeVersion.objects.filter(found).select_related("judge").order_by("judge__slug", "-number")


def differing_rows(version: CriteriaVersion, panel: JudgeVersion, now: datetime) -> QuerySet[Candidate, Any]:
    """The rows for tuning that may be drawn and of which jurors of `panel` said both, furthest apart first.

    Of each row the panel's newest run counts that has its jurors' verdicts.
    """
    beneath = Q(panel_verdict__judge_version=panel, run__criteria_version=version, repeat=0)
    jurors = Verdict.objects.filter(beneath, outcome__in=["pass", "fail"], candidate=OuterRef("pk"))
    newest = jurors.order_by("-run").values("run")[:1]
    of_run = jurors.filter(run=OuterRef("newest")).order_by().values("candidate")
    sides = of_run.annotate(low=Min("outcome"), high=Max("outcome"), gap=Max("score") - Min("score"))
    rows = frame_of(version, now, Candidate.Split.TUNE).annotate(newest=Subquery(newest))
    differing = rows.annotate(
        low=Subquery(sides.values("low")),
        high=Subquery(sides.values("high")),
        gap=Subquery(sides.values("gap")),
    ).filter(low__lt=F("high"))
    return differing.order_by(F("gap").desc(nulls_last=True), "pk")


@transaction.atomic
def draw_differing(
    *, version: CriteriaVersion, panel: JudgeVersion, most: int, now: datetime, actor: AnyUser
) -> Draw:
    """Send the `most` rows for tuning on which jurors are furthest apart to people. Raises as the other."""
    lock_set(version)
    rows = differing_rows(version, panel, now)
    chosen: list[tuple[int, str]] = list(rows.values_list("pk", "content_hash")[:most])
    return draw_disagreement(version=version, judge=str(panel), rows=chosen, frame=rows.count(), actor=actor)


@dataclass(frozen=True, slots=True)
class Order:
    """What a lead wants drawn. `seen`: the newest draw on the page that was looked at; None: none was."""

    strategy: str
    judge: JudgeVersion | None
    most: int
    seen: int | None = None


@transaction.atomic
def draw_rows(*, version: CriteriaVersion, order: Order, seed: str, now: datetime, actor: AnyUser) -> Draw:
    """Draw as ordered. Raises `CannotDraw`, also where somebody drew since the page was looked at: a double
    click draws once; and `Archived`.
    """
    lock_set(version)
    if order.seen is not None and order.seen != newest_draw(version):
        raise CannotDraw("Rows were drawn meanwhile. Look at what would be drawn now before you draw more.")
    if order.strategy == Draw.Strategy.RANDOM or order.judge is None:
        return draw_random(version=version, most=order.most, seed=seed, now=now, actor=actor)
    if order.strategy == Draw.Strategy.STRATIFIED:
        return draw_by_verdict(
            version=version, judge=order.judge, most=order.most, seed=seed, now=now, actor=actor
        )
    return draw_differing(version=version, panel=order.judge, most=order.most, now=now, actor=actor)


def newest_draw(version: CriteriaVersion) -> int:
    """The id of the newest draw that a lead made of the criteria set; 0 without any."""
    made = Draw.objects.by_leads().filter(version__criteria_set=version.criteria_set_id)
    return made.aggregate(newest=Max("pk"))["newest"] or 0


def drawn_of(draws: Sequence[Draw]) -> dict[int, list[Any]]:
    """The strata of each draw by verdict: name, rows and the probability of each, by the draw's id."""
    rows = DrawnRow.objects.filter(draw__in=draws).order_by().values("draw", "stratum", "probability")
    found: dict[int, list[Any]] = {}
    for each in rows.annotate(rows=Count("pk")).order_by("draw", "stratum"):
        found.setdefault(each["draw"], []).append(each)
    return found
