"""The example told in order, every figure read from the database: nothing here knows how it came out.

Single rows with a judge's verdict are shown of the tune split only: those count for no certificate.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from django.db.models import Exists, OuterRef, Prefetch, QuerySet
from django.utils import timezone

from demo.example import STORY
from judging.domain.precheck import Case, criteria_text_of, run_precheck
from judging.models import Certificate, Run, Verdict
from judging.models.certificates import CertificateQuerySet
from judging.services.progress import Progress, progress
from judging.services.standing import Standing, named_version
from labeling.models import Candidate, CriteriaSet, CriteriaVersion, Label

SHOWN = 3  # rows at each station
_MOST = 200  # tune rows that are looked at; the example has fewer


@dataclass(frozen=True, slots=True)
class Kill:
    """An output that Layer 1 kills. `asked`: a judge was asked about it all the same."""

    candidate: Candidate
    check: str
    reason: str
    asked: bool

    @property
    def check_in_words(self) -> str:
        return self.check.replace("_", " ")


@dataclass(frozen=True, slots=True)
class Killed:
    """What Layer 1 says of all `rows` of the set."""

    rows: int
    kills: list[Kill]

    @property
    def asked(self) -> int:
        """Kills about which a judge was asked as well."""
        return sum(kill.asked for kill in self.kills)

    @property
    def never_sent(self) -> int:
        """Kills that no model has ever seen."""
        return len(self.kills) - self.asked

    @property
    def shown(self) -> list[Kill]:
        """One of each check first, so that three rows show three reasons."""
        firsts = {kill.check: kill for kill in reversed(self.kills)}
        rest = [kill for kill in self.kills if kill is not firsts[kill.check]]
        return [*sorted(firsts.values(), key=lambda kill: kill.candidate.pk), *rest][:SHOWN]


@dataclass(frozen=True, slots=True)
class ToldRow:
    """An output with what the judge says and what people say. `beside`: another judge's verdict on it.

    `notes_at`: the row further up the page that shows the same notes.
    """

    verdict: Verdict
    truth: str
    beside: Verdict | None = None
    notes_at: int | None = None

    @property
    def disagrees(self) -> bool:
        """Whether the judge decided, and otherwise than people."""
        return self.verdict.outcome in ("pass", "fail") and self.verdict.outcome != self.truth

    @property
    def let_through(self) -> bool:
        """Whether the judge passes what people fail."""
        return self.disagrees and self.truth == "fail"

    @property
    def split(self) -> bool:
        """Whether the jurors of the panel did not all say the same."""
        return len({juror.outcome for juror in self.verdict.juror_verdicts.all()}) > 1


@dataclass(frozen=True, slots=True)
class Told:
    """One judge version of the example as it stands, and rows to look at."""

    standing: Standing
    certificate: Certificate
    run_figures: Progress
    rows: list[ToldRow]

    @property
    def run(self) -> Run:
        return self.certificate.calibration.run

    @property
    def disagreements(self) -> int:
        """Certify rows on which people and the judge say different things."""
        return self.certificate.calibration.b + self.certificate.calibration.c


@dataclass(frozen=True, slots=True)
class Spared:
    """A run over rows that nobody had labelled: of its `rows` Layer 1 killed `killed`, and asked nobody."""

    run: Run
    rows: int
    killed: int

    @property
    def calls_saved(self) -> int:
        """Calls that were not made: one for each juror."""
        return self.killed * len(self.run.judge_version.jurors())


type Choice = Callable[[list[ToldRow]], list[ToldRow]]


def story_set() -> CriteriaSet | None:
    """The criteria set of the story, None before the example is loaded."""
    return CriteriaSet.objects.filter(slug=STORY).select_related("live_version").first()


def what_was_killed(version: CriteriaVersion) -> Killed:
    """The first station: Layer 1 over every row of the set, asked anew; it costs no call."""
    every = Candidate.objects.filter(criteria_set=version.criteria_set_id)
    calls = Verdict.objects.filter(candidate=OuterRef("pk"), calls__gt=0)
    asked = set(every.filter(Exists(calls)).values_list("pk", flat=True))
    stated = criteria_text_of(
        {"name": each.name, "description": each.description} for each in version.criteria.all()
    )
    rows = list(every.prefetch_related("submissions").order_by("pk"))
    kills = []
    for row in rows:
        outcome = run_precheck(_case(row, stated))
        if outcome.check:
            kills.append(Kill(row, outcome.check, outcome.reason or "", asked=row.pk in asked))
    return Killed(len(rows), kills)


def what_was_spared(version: CriteriaVersion) -> Spared | None:
    """The first run over unlabelled rows of the set; None where there was none, or nothing was spared."""
    runs = Run.objects.filter(
        criteria_version=version, kind=Run.Kind.SCORING, state=Run.State.FINISHED
    ).select_related("judge_version__judge")
    run = runs.order_by("pk").first()
    if run is None:
        return None
    figures = progress(run)
    return Spared(run, figures.total, figures.killed) if figures.killed else None


def _case(row: Candidate, stated: str) -> Case:
    meta = {name: said for arrival in row.submissions.all() for name, said in arrival.meta.items()}
    criteria = "\n".join(filter(None, [row.criteria_text, stated]))
    return Case(row.output, criteria, row.request, row.grounding, meta)


def what_was_said(judge: str, choose: Choice, *, beside: str = "") -> Told | None:
    """How a judge (`slug@N`) stands, with the tune rows that `choose` picks.

    `beside`: another judge, whose verdict on the same rows is told, too. None: not calibrated yet.
    """
    certificate = _certificates(judge).current().with_names().select_related("calibration__run").first()
    if certificate is None:
        return None
    rows = choose(_tune_rows(certificate, _certificates(beside).current().first() if beside else None))
    standing = Standing(certificate.judge_version, certificate.criteria_version, certificate, timezone.now())
    return Told(standing, certificate, progress(certificate.calibration.run), rows[:SHOWN])


def first_answer(judge: str) -> Certificate | None:
    """What the first run of a judge (`slug@N`) led to, where a later one has superseded it."""
    superseded = _certificates(judge).exclude(superseded_at=None)
    return superseded.select_related("calibration").order_by("pk").first()


def _certificates(judge: str) -> CertificateQuerySet:
    slug, number = named_version(judge)
    of_judge = Certificate.objects.filter(
        judge_version__judge__slug=slug, criteria_version__criteria_set__slug=STORY
    )
    return of_judge.of_judge_version(number).order_by("-pk")


def _tune_rows(certificate: Certificate, other: Certificate | None) -> list[ToldRow]:
    version = certificate.criteria_version
    golden = Candidate.objects.filter(split="tune").golden(version)
    truths = {row.pk: row.truth or "" for row in golden}
    besides = {each.candidate_id: each for each in _tune_verdicts(other)} if other else {}
    labels = Label.objects.current().filter(version=version).select_related("labeler").order_by("pk")
    told = _tune_verdicts(certificate).prefetch_related(
        Prefetch("candidate__labels", labels, to_attr="shown_labels")
    )
    return [
        ToldRow(each, truths[each.candidate_id], besides.get(each.candidate_id))
        for each in told
        if each.candidate_id in truths
    ]


def _tune_verdicts(certificate: Certificate) -> "QuerySet[Verdict]":
    """The judge's own verdicts of the run behind a certificate, the jurors' beneath them."""
    own = Verdict.objects.filter(
        run=certificate.calibration.run_id,
        judge_version=certificate.judge_version_id,
        panel_verdict=None,
        repeat=0,
        candidate__split="tune",
    )
    return own.with_answers().order_by("pk")[:_MOST]


def typical(rows: list[ToldRow]) -> list[ToldRow]:
    """A row that all jurors pass, one that all fail and one on which they split, people agreeing."""
    agreed = [row for row in rows if not row.disagrees and row.verdict.outcome in ("pass", "fail")]
    kinds = [(False, "pass"), (False, "fail"), (True, "fail"), (True, "pass")]
    of_kind = ([row for row in agreed if (row.split, row.verdict.outcome) == kind] for kind in kinds)
    return [found[0] for found in of_kind if found]


def disagreements(rows: list[ToldRow]) -> list[ToldRow]:
    """Where people and judge differ: what it lets through and what it refuses, taking turns."""
    differing = [row for row in rows if row.disagrees]
    sides = [[row for row in differing if row.let_through is side] for side in (True, False)]
    return _alternating(*sides)


def let_through(rows: list[ToldRow]) -> list[ToldRow]:
    """What the judge passes and people fail; first where the judge beside it fails it as well."""
    found = [row for row in rows if row.let_through]
    return sorted(found, key=lambda row: row.beside is None or row.beside.outcome != "fail")


def notes_once(*stations: Told | None) -> list[Told | None]:
    """The stations with each row's `notes_at` filled in: notes are printed where they come first."""
    first: dict[str, int] = {}
    return [
        replace(told, rows=[_with_notes_at(row, first) for row in told.rows]) if told else None
        for told in stations
    ]


def _with_notes_at(row: ToldRow, first: dict[str, int]) -> ToldRow:
    pk = row.verdict.candidate_id
    shown = first.setdefault(row.verdict.candidate.grounding, pk)
    return replace(row, notes_at=None if shown == pk else shown)


def nothing(rows: list[ToldRow]) -> list[ToldRow]:
    """No rows, where only the figures are told."""
    return []


def _alternating(ones: Sequence[ToldRow], others: Sequence[ToldRow]) -> list[ToldRow]:
    longest = max(len(ones), len(others))
    return [row for place in range(longest) for row in (*ones[place : place + 1], *others[place : place + 1])]
