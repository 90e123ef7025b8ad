"""Counting a run's verdicts against what people settled: by SQL, never from rows pulled into Python."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import batched
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from judging.domain.precheck import criteria_text_of
from judging.models import Calibration, CalibrationRow, JudgeVersion, Run, Verdict
from judging.services.layer1 import examine
from judging.services.weighing import Drawn, drawn_unequally, weigh
from labeling.models import Candidate, CriteriaVersion, Exposure, Label, Ruling
from labeling.services.human_agreement import HumanAgreement

CELLS = {("pass", "pass"): "a", ("pass", "fail"): "b", ("fail", "pass"): "c", ("fail", "fail"): "d"}
# Truth and outcome of a row → the counts it is part of; a second one where Layer 1 would not have killed it.
COUNTS = {pair: (cell, f"unkilled_{cell}") for pair, cell in CELLS.items()} | {
    ("pass", "skipped"): ("skipped_pass",),
    ("fail", "skipped"): ("skipped_fail",),
    ("pass", "escalated"): ("escalated",),
    ("fail", "escalated"): ("escalated",),
}
_COUNTED = ["pass", "fail", "skipped", "escalated"]
_CHUNK = 1000
_HASHES = 2**256


def people_columns(people: HumanAgreement | None) -> dict[str, Any]:
    """How far people agree, as calibrations store it: what a page tells of it needs no count then."""
    if people is None:
        return {"human_kappa": None, "human_rows": 0, "human_details": None}
    details = {
        "method": people.method,
        "alone": people.alone,
        "labelers": people.labelers,
        "shared": people.shared,
        "left_out": people.left_out,
        "interval": list(people.interval) if people.interval else None,
    }
    return {"human_kappa": people.value, "human_rows": people.rows, "human_details": details}


def golden_truths(run: Run) -> dict[int, str]:
    """The settled `certify` rows that `run` got answers on: candidate id → `pass` or `fail`."""
    return _truths(run, _answered(run).values("candidate"))


def golden_truths_of(run: Run, candidate_ids: Sequence[int]) -> dict[int, str]:
    """The same of these rows only, in a time that does not grow with the run."""
    answered = _answered(run).filter(candidate__in=candidate_ids).values_list("candidate_id", flat=True)
    return _truths(run, list(answered))


def _answered(run: Run) -> QuerySet[Verdict]:
    return answers_in(run).filter(panel_verdict=None)


def _truths(run: Run, candidates: QuerySet[Verdict, Any] | list[int]) -> dict[int, str]:
    rows = Candidate.objects.golden(run.criteria_version).filter(split="certify", pk__in=candidates)
    return dict(rows.annotate(settled=F("truth")).order_by().values_list("pk", "settled"))


def unresolved_rows(version: CriteriaVersion) -> int:
    """The `certify` rows on which people disagree: excluded, and counted.

    Two sums over what people said, many times quicker than asking every row for its truth.
    """
    rulings = Ruling.objects.current().filter(version=version, candidate__split="certify")
    undecided = rulings.filter(Q(verdict="unresolved") | Q(blind=False)).count()
    return undecided + _ties(version)


def _ties(version: CriteriaVersion) -> int:
    heard = Label.objects.current().filter(version=version, blind=True).order_by().values("candidate")
    sides = heard.annotate(passes=Count("pk", filter=Q(verdict="pass")), labels=Count("pk"))
    tied = Candidate.objects.filter(
        pk__in=sides.filter(labels=2 * F("passes")).values("candidate"), split="certify"
    )
    ruled = Ruling.objects.current().filter(version=version, candidate=OuterRef("pk"))
    return tied.exclude(Exists(ruled)).count()


def opened_rows(version: CriteriaVersion) -> int:
    """The `certify` rows on which somebody has been shown a judge's verdict."""
    shown = Exposure.objects.filter(version=version, what="verdicts", candidate__split="certify")
    return int(shown.aggregate(rows=Count("candidate", distinct=True))["rows"])


def layer1(version: CriteriaVersion, candidate_ids: Iterable[int]) -> dict[int, str]:
    """What Layer 1 says of each candidate: candidate id → the check that would kill it, "" for none."""
    stated = criteria_text_of(
        {"name": criterion.name, "description": criterion.description} for criterion in version.criteria.all()
    )
    return {pk: found.check or "" for pk, found in examine(stated, candidate_ids)}


def layer1_of(run: Run) -> dict[int, str]:
    """What Layer 1 says of the rows that `run` certifies or replays, as they are settled now.

    Seconds for a thousand long rows, so it is asked before the transaction that certifies: on SQLite every
    other writer waits for that one.
    """
    if run.kind not in (Run.Kind.CALIBRATION, Run.Kind.REPLAY):
        return {}
    return layer1(run.criteria_version, golden_truths(run))


def golden_hash(truths: Mapping[int, str]) -> str:
    """One hash over rows and their truth, whatever the order: the golden set as it stood.

    The sum of the rows' own hashes, so that a recount adds and takes away only what changed.
    """
    return f"{_sum_of_hashes(truths) % _HASHES:064x}"


def changed_hash(hash_before: str, *, gone: Mapping[int, str], come: Mapping[int, str]) -> str:
    """The golden hash once rows with these truths have gone and come."""
    number = int(hash_before, 16) - _sum_of_hashes(gone) + _sum_of_hashes(come)
    return f"{number % _HASHES:064x}"


def _sum_of_hashes(truths: Mapping[int, str]) -> int:
    total = 0
    for chunk in batched(truths, 500):
        for pk, content in Candidate.objects.filter(pk__in=chunk).values_list("pk", "content_hash"):
            total += int(hashlib.sha256(f"{content} {truths[pk]}".encode()).hexdigest(), 16)
    return total


def calibrate(
    *,
    run: Run,
    judge_version: JudgeVersion,
    truths: Mapping[int, str],
    killed_by: Mapping[int, str],
    as_of: datetime,
    run_complete: bool,
    attempt: int,
    people: HumanAgreement | None,
) -> Calibration:
    """Store and count one judge version's verdicts in `run`. Called inside the caller's transaction.

    `killed_by`: what `layer1` says of every row in `truths`. `people`: how far they agree with each other.
    """
    calibration = Calibration.objects.create(
        run=run,
        judge_version=judge_version,
        criteria_version=run.criteria_version,
        unresolved=unresolved_rows(run.criteria_version),
        golden_hash=golden_hash(truths),
        run_complete=run_complete,
        attempt=attempt,
        as_of=as_of,
        **people_columns(people),
        **dict.fromkeys(CELLS.values(), 0),
    )
    answers = answers_in(run).filter(judge_version=judge_version)
    drawn = drawn_unequally(run.criteria_version.criteria_set_id, truths)
    for chunk in batched(rows_of({judge_version.pk: calibration}, answers, truths, killed_by, drawn), _CHUNK):
        CalibrationRow.objects.bulk_create(chunk)
    _count(calibration)
    weigh(calibration)
    calibration.save()
    return calibration


def answers_in(run: Run) -> QuerySet[Verdict]:
    """The answers of a run's judge and its jurors, one of each for a row."""
    return Verdict.objects.filter(run=run, repeat=0, outcome__in=_COUNTED)


def rows_of(
    by_judge: Mapping[int, Calibration],
    answers: QuerySet[Verdict],
    truths: Mapping[int, str],
    killed_by: Mapping[int, str],
    drawn: Drawn,
) -> Iterator[CalibrationRow]:
    """Rows for those of the answers whose candidate is in `truths`; not saved yet.

    `drawn`: what those of them that were drawn unequally weigh by.
    """
    for verdict, judge, candidate, outcome in answers.values_list(
        "pk", "judge_version_id", "candidate_id", "outcome"
    ):
        if candidate in truths:
            probability, stratum = drawn.get(candidate, (1.0, ""))
            yield CalibrationRow(
                calibration=by_judge[judge],
                candidate_id=candidate,
                verdict_id=verdict,
                truth=truths[candidate],
                outcome=outcome,
                killed_by=killed_by[candidate],
                probability=probability,
                stratum=stratum,
            )


def _count(calibration: Calibration) -> None:
    calibration.layer1 = {}
    rows_now = CalibrationRow.objects.filter(calibration=calibration).order_by()
    groups = rows_now.values_list("truth", "outcome", "killed_by").annotate(rows=Count("pk"))
    for truth, outcome, killed_by, rows in groups:
        tally(calibration, truth=truth, outcome=outcome, killed_by=killed_by, rows=rows)


def tally(calibration: Calibration, *, truth: str, outcome: str, killed_by: str, rows: int) -> None:
    """Add that many rows to the counts that such a row is part of; take them away where `rows` is negative.

    What Layer 1 kills is counted only where it was from the beginning: `Calibration.layer1` is not null.
    """
    names = COUNTS[truth, outcome]
    for name in names[:1] if killed_by else names:
        setattr(calibration, name, getattr(calibration, name) + rows)
    if calibration.layer1 is not None:
        of_check = calibration.layer1.setdefault(killed_by, [0, 0])
        of_check[truth == "fail"] += rows
        if not any(of_check):
            del calibration.layer1[killed_by]
