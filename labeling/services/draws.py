"""Drawing rows that people label, each with the probability that it had.

The live audit goes by nothing that a judge or a person has said. A lead's draws are random, by a judge's
verdict, or of rows for tuning on which jurors differ; nobody who labels sees which.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import batched

from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from labeling.access import AnyUser
from labeling.domain.sampling import audit_seed, first_drawn, is_drawn
from labeling.domain.strata import Part, Side, interleaved, shares
from labeling.models import Candidate, CriteriaSet, CriteriaVersion, Draw, DrawnRow, Label, Ruling, Slot
from labeling.models.candidates import CandidateQuerySet
from labeling.services.archiving import check_open
from labeling.services.audit import record
from labeling.services.guidelines import shown_rows
from labeling.services.leases import drop_slots
from labeling.services.queue import DRAWN, bring_forward, open_slots

NO_FAIR_SAMPLE = (
    "Rows of this set were drawn by a judge’s verdict before, and what that left is no fair sample. Draw by "
    "a judge’s verdict again: it goes on with that draw, and takes in newer rows."
)
_CHUNK = 500

type Rows = Iterable[tuple[int, str]]  # candidate ids with their content hashes


class CannotDraw(ValueError):
    """No rows can be drawn this way; the message is a sentence."""


@dataclass(frozen=True, slots=True)
class Stratum:
    """Rows of which each is as likely as any: those that are left, and those drawn before (candidate ids)."""

    name: str
    side: Side
    left: Sequence[tuple[int, str]]
    drawn: Collection[int] = ()

    @property
    def part(self) -> Part:
        return Part(self.side, len(self.left), len(self.drawn))


@transaction.atomic
def draw_audit(*, version: CriteriaVersion, judge: str, frame: Rows) -> Draw | None:
    """Draw the audit share of the criteria set from `frame`, rows that `judge` was asked about.

    Drawn rows that people have not settled go to the top of the labeling queue. Only a row's own content
    decides, so that tells a labeler nothing. None where the audit is switched off or no row is drawn; safe to
    call again: what was drawn for this judge is left alone.
    """
    share, seed = float(version.criteria_set.audit_share), audit_seed(version.criteria_set.slug)
    if not share:
        return None
    rows = dict(frame)
    chosen = [pk for pk, row_hash in rows.items() if is_drawn(seed, row_hash, share)]
    new = sorted(set(chosen) - drawn_for(version, judge, chosen))
    return _kept(version, judge, seed, new, frame=len(rows), probability=share) if new else None


@transaction.atomic
def draw_some(
    *, version: CriteriaVersion, judge: str, frame: Rows, most: int, seed: str, actor: AnyUser
) -> Draw | None:
    """Draw `most` rows of `frame`, or all where there are fewer, each as likely as any; None of no rows."""
    rows = dict(frame)
    chosen = sorted(first_drawn(seed, rows.items(), most))
    if not chosen:
        return None
    probability = len(chosen) / len(rows)
    return _kept(version, judge, seed, chosen, frame=len(rows), probability=probability, actor=actor)


def drawn_for(version: CriteriaVersion, judge: str, candidate_ids: Iterable[int]) -> set[int]:
    """Those of the candidates that were drawn already to check `judge`."""
    audits = DrawnRow.objects.filter(
        draw__version=version, draw__strategy=Draw.Strategy.AUDIT, draw__judge=judge
    )
    drawn: set[int] = set()
    for chunk in batched(candidate_ids, _CHUNK):  # a judge's draws of years are not read to end one run
        drawn.update(audits.filter(candidate__in=chunk).values_list("candidate_id", flat=True))
    return drawn


def _kept(
    version: CriteriaVersion,
    judge: str,
    seed: str,
    candidate_ids: list[int],
    *,
    frame: int,
    probability: float,
    actor: AnyUser | None = None,
) -> Draw:
    """The draw with its rows, which go to people; logged."""
    draw = Draw.objects.create(
        version=version,
        strategy=Draw.Strategy.AUDIT,
        judge=judge,
        seed=seed,
        frame=frame,
        is_equal=True,
        created_by=actor if actor is not None and actor.is_authenticated else None,
    )
    DrawnRow.objects.bulk_create(
        (DrawnRow(draw=draw, candidate_id=pk, probability=probability) for pk in candidate_ids),
        batch_size=_CHUNK,
    )
    moved = bring_forward(version=version, candidate_ids=candidate_ids)
    record(
        actor=actor,
        action="audit_drawn",
        subject=str(draw),
        criteria_set=version.criteria_set,
        judge=judge,
        rows=len(candidate_ids),
        frame=frame,
        queued=moved,
    )
    return draw


@transaction.atomic
def draw_random(*, version: CriteriaVersion, most: int, seed: str, now: datetime, actor: AnyUser) -> Draw:
    """Send `most` rows that may certify to people, each as likely as any, or all where there are fewer.

    Raises `CannotDraw`, also where rows were drawn by a judge's verdict before: what that left is no fair
    sample any more.
    """
    lock_set(version)
    if Draw.objects.stratified(version.criteria_set).exists():
        raise CannotDraw(NO_FAIR_SAMPLE)
    rows = dict(frame_of(version, now).values_list("pk", "content_hash"))
    chosen = first_drawn(seed, rows.items(), most)
    draw = Draw(strategy=Draw.Strategy.RANDOM, is_equal=True, frame=len(rows), seed=seed)
    probability = len(chosen) / len(rows) if rows else None
    return _drawn(draw, version, [(pk, probability, "") for pk in chosen], chosen, actor)


@transaction.atomic
def draw_stratified(
    *,
    version: CriteriaVersion,
    judge: str,
    strata: Sequence[Stratum],
    most: int,
    seed: str,
    now: datetime,
    actor: AnyUser,
) -> Draw:
    """Send `most` rows more to people, so many of each stratum as `labeling.domain.strata.shares` says.

    `strata` are those of all draws by verdict before, with what they left, and of the rows that came since;
    the new draw holds the rows of all of them. What is left leaves the queue until it is drawn: a row that is
    labelled beside the draw would count once, and a drawn one stands for many. `judge` is whose verdicts the
    newer rows were told apart by, as slug@version. Call it after `lock_set`. Raises `CannotDraw`.
    """
    parts = [stratum.part for stratum in strata]
    taken = shares(parts, most)
    chosen = [
        first_drawn(f"{seed}:{stratum.name}", stratum.left, rows)
        for stratum, rows in zip(strata, taken, strict=True)
    ]
    rows = [
        (pk, part.probability(len(new)), stratum.name)
        for stratum, part, new in zip(strata, parts, chosen, strict=True)
        for pk in (*stratum.drawn, *new)
    ]
    size = sum(part.size for part in parts)
    draw = Draw(strategy=Draw.Strategy.STRATIFIED, judge=judge, frame=size, seed=seed)
    drawn = _drawn(draw, version, rows, interleaved(seed, chosen), actor)
    _put_aside(version, now)
    return drawn


@transaction.atomic
def draw_disagreement(
    *, version: CriteriaVersion, judge: str, rows: Sequence[tuple[int, str]], frame: int, actor: AnyUser
) -> Draw:
    """Send rows for tuning on which the jurors of `judge` differ to people; `frame`: how many there are.

    How likely such a row was nobody knows, so it never certifies. Raises `CannotDraw`.
    """
    draw = Draw(strategy=Draw.Strategy.DISAGREEMENT, judge=judge, frame=frame)
    # In an order of their own: the furthest apart first would tell how far jurors are apart.
    ordered = first_drawn("disagreement", rows, len(rows))
    return _drawn(draw, version, [(pk, None, "") for pk in ordered], ordered, actor)


def lock_set(version: CriteriaVersion) -> None:
    """Have this transaction be the only one that draws from the criteria set, or brings rows into it.

    Raises `Archived` where the set takes no labels.
    """
    check_open(CriteriaSet.objects.select_for_update(no_key=True).get(pk=version.criteria_set_id))


def frame_of(
    version: CriteriaVersion, now: datetime, split: str = Candidate.Split.CERTIFY
) -> CandidateQuerySet:
    """The rows that may be drawn: nobody has labelled, ruled on or drawn them, holds them or passed them on.

    Labelled under another version is labelled: such a row is asked about again on the page of the criteria.
    Rows that the guidelines show are no sample of anything.
    """
    own = {"candidate": OuterRef("pk")}
    drawn = Q(draw__version=version) | Q(draw__is_equal=False)
    away = Q(state=Slot.State.LEAD) | Q(state=Slot.State.OPEN, lease_until__gt=now)
    rows = CandidateQuerySet(Candidate).filter(criteria_set=version.criteria_set_id, split=split)
    return (
        rows.for_people()
        .exclude(pk__in=shown_rows(version.criteria_set))
        .filter(
            ~Exists(Label.objects.current().filter(**own)),
            ~Exists(Ruling.objects.current().filter(**own)),
            ~Exists(DrawnRow.objects.filter(drawn, **own)),
            ~Exists(Slot.objects.filter(away, **own, version=version)),
        )
        .order_by()
    )


def put_aside(version: CriteriaVersion, now: datetime) -> CandidateQuerySet:
    """The rows that draws by verdict left, and that wait outside the queue until they are drawn."""
    last = Draw.objects.stratified(version.criteria_set).last()
    left = frame_of(version, now)
    return left.filter(created_at__lte=last.created_at) if last else left.none()


def _put_aside(version: CriteriaVersion, now: datetime) -> None:
    """Take what could have been drawn and was not out of the queue."""
    left = frame_of(version, now).values("pk")
    # Free, asked of the slot itself: one that somebody takes meanwhile is looked at again when it is locked.
    drop_slots(Slot.objects.filter(version=version, state=Slot.State.OPEN, candidate__in=left).free(now))


def _drawn(
    draw: Draw,
    version: CriteriaVersion,
    rows: Sequence[tuple[int, float | None, str]],
    order: Sequence[int],
    actor: AnyUser,
) -> Draw:
    """Keep the draw with its rows (candidate, probability, stratum); those of `order` go into the queue."""
    if not order:
        raise CannotDraw("There is no such row left to draw: all are with people already, or were labelled.")
    draw.version = version
    draw.created_by = actor if actor.is_authenticated else None
    draw.save()
    DrawnRow.objects.bulk_create(
        (DrawnRow(draw=draw, candidate_id=pk, probability=p, stratum=name) for pk, p, name in rows),
        batch_size=_CHUNK,
    )
    places = {pk: place for place, pk in enumerate(order, start=1)}
    open_slots(version=version, candidate_ids=order, priority=DRAWN, places=places)
    record(
        actor=actor,
        action="rows_drawn",
        subject=str(draw),
        criteria_set=version.criteria_set,
        strategy=draw.strategy,
        judge=draw.judge,
        rows=len(order),
        frame=draw.frame,
    )
    return draw
