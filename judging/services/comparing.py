"""Two judge versions, or two generators under one judge, on the same rows: which moved, and which way."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Count, Exists, F, Max, OuterRef, Q, QuerySet, Subquery, Value

from judging.domain.comparison import Change, Changes, changes_of
from judging.domain.figures import many
from judging.models import Calibration, JudgeVersion, Run, Verdict
from judging.services.disclosure import open_candidates, opened_by
from labeling.models import Candidate, CriteriaVersion, Submission

_SIDES = ["pass", "fail"]
_COUNTED = ["pass", "fail", "skipped", "escalated"]
_MEASURED_BY = [Run.Kind.CALIBRATION, Run.Kind.REPLAY]


class CannotCompare(ValueError):
    """These two cannot be compared; the sentence says why and what to do."""


@dataclass(frozen=True, slots=True)
class Paired:
    """Rows of one side, each with what the other says of it.

    `rows`: calibration rows or verdicts, with `outcome`, `candidate` and `truth`, which is what a side should
    say; `verdict` is the field that holds the verdict's id. `other`: the other side's verdict on a row, for a
    subquery. `turned`: the rows are those of the later side. `others`: how many rows the other side has.
    """

    version: CriteriaVersion
    rows: QuerySet[Any]
    verdict: str
    other: QuerySet[Verdict]
    others: int
    turned: bool = False


@dataclass(frozen=True, slots=True)
class Compared:
    """What became of the rows that both sides have, and how many rows only one of them has."""

    changes: Changes
    only_before: int
    only_after: int


@dataclass(frozen=True, slots=True)
class Moved:
    """A row that came out otherwise: its candidate (of generators, of one of the two), the verdicts' ids, and
    what the sides should have said."""

    candidate: int
    before: int
    after: int
    truth: str
    change: Change


def measured(version: CriteriaVersion) -> QuerySet[Calibration]:
    """Counts of finished runs and replays on these criteria, newest first, of judges and jurors."""
    ended = {"run__state": Run.State.FINISHED, "run__kind__in": _MEASURED_BY, "is_current": True}
    found = Calibration.objects.filter(criteria_version=version, **ended)
    return found.select_related("judge_version__judge", "run").order_by("-run_id", "pk")


def counts_of(version: CriteriaVersion, judge: JudgeVersion, run: int | None = None) -> Calibration:
    """The newest count of a judge on these criteria, or that of one run. Raises `CannotCompare`."""
    found = measured(version).filter(judge_version=judge, **({"run": run} if run else {})).first()
    if found is None:
        where = f"in run {run}" if run else "yet"
        raise CannotCompare(
            f"{judge} was not measured on {version} {where}. Calibrate it there first, or choose another."
        )
    return found


def judges_on_certify_rows(before: Calibration, after: Calibration) -> Paired:
    """Two counts on the rows that certify, by what people say of them.

    Where labels were corrected since, the run that certifies was recounted and a replay was not: the rows
    with their truth come from the one that was counted last, a run that may certify before a replay.
    """
    newest = max(before, after, key=lambda each: (each.run.kind == Run.Kind.CALIBRATION, each.as_of))
    turned = newest != before
    other = before if turned else after
    asked = Verdict.objects.filter(
        run=other.run_id,
        judge_version=other.judge_version_id,
        candidate=OuterRef("candidate"),
        repeat=0,
        outcome__in=_COUNTED,
    )
    version = CriteriaVersion.objects.select_related("criteria_set").get(pk=newest.criteria_version_id)
    return Paired(version, newest.rows, "verdict_id", asked, other.rows.count(), turned)


def judges_on_tune_rows(version: CriteriaVersion, before: JudgeVersion, after: JudgeVersion) -> Paired:
    """What each said last of the settled rows for tuning, whichever run asked."""
    settled = Candidate.objects.golden(version).filter(split=Candidate.Split.TUNE, pk=OuterRef("candidate"))
    truth = Subquery(settled.annotate(word=F("truth")).values("word"))

    def newest(judge: JudgeVersion) -> QuerySet[Any]:
        answers = _answers(version, judge).filter(candidate__split=Candidate.Split.TUNE)
        last = answers.values("candidate").annotate(newest=Max("pk")).values("newest")
        return Verdict.objects.filter(pk__in=last).annotate(truth=truth).filter(truth__in=_SIDES)

    last = _answers(version, after).filter(candidate=OuterRef(OuterRef("candidate")))
    return Paired(version, newest(before), "pk", _last_of(last), newest(after).count())


def generators(version: CriteriaVersion, judge: JudgeVersion, before: str, after: str) -> Paired:
    """What one judge says of two generators' outputs to the same requests, labelled or not.

    Each request counts once, so that rows are independent: of several outputs of one generator to it, the one
    that the judge was asked about last. A side should say `pass`.
    """

    def newest(name: str) -> QuerySet[Verdict]:
        last = _of_generator(version, judge, name).values("candidate__request_hash")
        return Verdict.objects.filter(pk__in=last.annotate(newest=Max("pk")).values("newest"))

    same = {  # with the set's name, which the index needs
        "candidate__criteria_set": version.criteria_set_id,
        "candidate__request_hash": OuterRef(OuterRef("candidate__request_hash")),
    }
    rows = newest(before).annotate(truth=Value("pass"))
    last = _of_generator(version, judge, after).filter(**same)
    return Paired(version, rows, "pk", _last_of(last), newest(after).count())


def _last_of(answers: QuerySet[Verdict]) -> QuerySet[Verdict]:
    """The newest of the answers to a row. Looked up row by row: as one of all the newest, PostgreSQL would
    go through all of them for each row."""
    return Verdict.objects.filter(pk=Subquery(answers.order_by("-pk").values("pk")[:1]))


def further_outputs(version: CriteriaVersion, judge: JudgeVersion, names: Sequence[str]) -> int:
    """Outputs that the judge was asked about and that are left out: a newer one answers the request."""
    found = [
        _of_generator(version, judge, name).aggregate(
            outputs=Count("candidate", distinct=True),
            requests=Count("candidate__request_hash", distinct=True),
        )
        for name in names
    ]
    return sum(each["outputs"] - each["requests"] for each in found)


def further_words(further: int) -> str:
    """What is said of those."""
    return (
        "Each request counts once, by the output that the judge was asked about last; left out: "
        f"{many(further, 'further output')} to the same requests."
    )


def generators_of(version: CriteriaVersion, most: int) -> list[str]:
    """The generators named with rows of the criteria set, those with most rows first."""
    named = Submission.objects.filter(candidate__criteria_set=version.criteria_set_id)
    counted = named.exclude(generator_model="").order_by().values("generator_model")
    by_rows = counted.annotate(rows=Count("pk")).order_by("-rows", "generator_model")
    return list(by_rows.values_list("generator_model", flat=True)[:most])


def _of_generator(version: CriteriaVersion, judge: JudgeVersion, name: str) -> QuerySet[Verdict]:
    return _answers(version, judge).filter(candidate__submissions__generator_model=name)


def _answers(version: CriteriaVersion, judge: JudgeVersion) -> QuerySet[Verdict]:
    """What the judge answered on these criteria, in any run; of repeated questions the first answer."""
    asked = Verdict.objects.filter(run__criteria_version=version, judge_version=judge, repeat=0)
    return asked.filter(outcome__in=_COUNTED).order_by()


def compared(paired: Paired) -> Compared:
    """All rows counted: two statements, whatever their number."""
    beside = paired.rows.annotate(beside=Subquery(paired.other.values("outcome")[:1])).order_by()
    groups = list(beside.values_list("truth", "outcome", "beside").annotate(rows=Count("pk")))
    alone = sum(rows for *_, beside, rows in groups if beside is None)
    shared = [group for group in groups if group[2] is not None]
    found = changes_of((truth, *_in_order(paired, own, beside), rows) for truth, own, beside, rows in shared)
    of_other = paired.others - found.n - found.inconclusive
    return Compared(found, *_in_order(paired, alone, of_other))


def _in_order[Side](paired: Paired, own: Side, other: Side) -> tuple[Side, Side]:
    """Before and after, from what belongs to the rows and what to the other side."""
    return (other, own) if paired.turned else (own, other)


def moved_rows(paired: Paired, change: Change | None = None) -> QuerySet[Any]:
    """The rows that came out otherwise; only those fixed, or regressed, where `change` says so."""
    differs = paired.other.filter(outcome__in=_SIDES).exclude(outcome=OuterRef("outcome"))
    rows = paired.rows.filter(Exists(differs), outcome__in=_SIDES).order_by("pk")
    if change is None:
        return rows
    # The rows were right, and the other side is wrong: regressed, unless the rows are the later side.
    right = Q(outcome=F("truth"))
    return rows.filter(right if (change == Change.REGRESSED) != paired.turned else ~right)


def read_moved(paired: Paired, rows: QuerySet[Any]) -> QuerySet[Any, tuple[int, int, int, str, str]]:
    """Of moved rows: candidate, verdict, the other verdict, truth and outcome; for `moved_of`."""
    beside = rows.annotate(beside=Subquery(paired.other.values("pk")[:1]))
    read: QuerySet[Any, Any] = beside.values_list("candidate", paired.verdict, "beside", "truth", "outcome")
    return read


def moved_of(paired: Paired, read: Iterable[tuple[int, int, int, str, str]]) -> Iterator[Moved]:
    """What `read_moved` found, as before and after."""
    for candidate, own, other, truth, outcome in read:
        was_right = (outcome == truth) != paired.turned
        change = Change.REGRESSED if was_right else Change.FIXED
        yield Moved(candidate, *_in_order(paired, own, other), truth, change)


def visible_rows(paired: Paired, rows: QuerySet[Any], reader: User) -> QuerySet[Any]:
    """Rows for tuning, and those of which `reader` has opened both sides."""
    mine = Q(candidate__split=Candidate.Split.TUNE) | opened_by(reader, paired.version)
    return rows.filter(mine, Exists(paired.other.filter(mine)))


def open_moved(*, reader: User, paired: Paired, rows: QuerySet[Any], most: int) -> None:
    """Open the next `most` closed ones of `rows` to `reader`, logged: both candidates where there are two."""
    closed = rows.exclude(pk__in=visible_rows(paired, rows, reader).order_by().values("pk"))
    pairs = closed.annotate(beside=Subquery(paired.other.values("candidate")[:1]))
    both = {pk for pair in pairs.values_list("candidate", "beside")[:most] for pk in pair}
    certify = Candidate.objects.filter(pk__in=both).exclude(split=Candidate.Split.TUNE).order_by("pk")
    ids = list(certify.values_list("pk", flat=True))
    open_candidates(reader=reader, version=paired.version, candidate_ids=ids, most=len(ids))
