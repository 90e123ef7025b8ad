"""Finished runs over golden rows, written straight into the tables: no model is asked."""

from datetime import UTC, datetime
from itertools import count

from django.contrib.auth.models import User
from django.utils import timezone

from judging.models import Certificate, JudgeVersion, Run, Verdict
from judging.services.certification import certify_run
from labeling.domain.content import content_hash, request_hash
from labeling.models import Candidate, CriteriaSet, Ruling
from tests.factories import live

_numbers = count(1)
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def make_run(
    judge_version: JudgeVersion,
    criteria_set: CriteriaSet,
    *,
    a: int = 0,
    b: int = 0,
    c: int = 0,
    d: int = 0,
    skipped_pass: int = 0,
    skipped_fail: int = 0,
    split: str = "certify",
    kind: str = "calibration",
) -> Run:
    """A finished run whose rows fall into these cells; the jurors of a panel say what the panel says."""
    run = Run.objects.create(
        judge_version=judge_version,
        criteria_version=live(criteria_set),
        kind=kind,
        state="finished",
        finished_at=NOON,
    )
    cells = {
        ("pass", "pass"): a,
        ("pass", "fail"): b,
        ("fail", "pass"): c,
        ("fail", "fail"): d,
        ("pass", "skipped"): skipped_pass,
        ("fail", "skipped"): skipped_fail,
    }
    _fill(run, [cell for cell, rows in cells.items() for _ in range(rows)], split)
    return run


def _fill(run: Run, cells: list[tuple[str, str]], split: str) -> None:
    """One golden row for each (truth, outcome), with the verdicts of the run's judge and its jurors."""
    criteria_set, judge_version = run.criteria_version.criteria_set, run.judge_version
    candidates = Candidate.objects.bulk_create(_candidate(criteria_set, split) for _ in cells)
    rows = list(zip(candidates, cells, strict=True))
    Ruling.objects.bulk_create(
        Ruling(candidate=each, version=run.criteria_version, verdict=truth, blind=True, source="import")
        for each, (truth, _) in rows
    )
    own = Verdict.objects.bulk_create(
        _verdict(run, each, judge_version, outcome, None) for each, (_, outcome) in rows
    )
    jurors = list(judge_version.members.all())
    Verdict.objects.bulk_create(
        _verdict(run, above.candidate, juror, above.outcome, above) for above in own for juror in jurors
    )


def _candidate(criteria_set: CriteriaSet, split: str) -> Candidate:
    output = f"Golden row {next(_numbers)}."
    return Candidate(
        criteria_set=criteria_set,
        request="Say so.",
        output=output,
        content_hash=content_hash("Say so.", output, "", ""),
        request_hash=request_hash("Say so."),
        split=split,
    )


def make_verdict(run: Run, candidate: Candidate, outcome: str) -> Verdict:
    """The verdict of the run's judge, and of its jurors beneath it."""
    own = _verdict(run, candidate, run.judge_version, outcome, None)
    own.save()
    Verdict.objects.bulk_create(
        _verdict(run, candidate, juror, outcome, own) for juror in run.judge_version.members.all()
    )
    return own


def _verdict(
    run: Run, candidate: Candidate, judge_version: JudgeVersion, outcome: str, panel: Verdict | None
) -> Verdict:
    return Verdict(
        run=run,
        candidate=candidate,
        judge_version=judge_version,
        kind="panel" if judge_version.kind == "panel" else "juror",
        panel_verdict=panel,
        candidate_hash=candidate.content_hash,
        outcome=outcome,
        reason="timeout" if outcome == "skipped" else "",
        filled_at=None if outcome == "pending" else timezone.now(),
    )


def certified(run: Run, now: datetime = NOON) -> Certificate:
    """The certificate that follows from a run."""
    certificate = certify_run(run=run, now=now)
    assert certificate is not None
    return certificate


def codes(certificate: Certificate) -> list[str]:
    """The reason codes of a certificate."""
    return [reason["code"] for reason in certificate.reasons]


def correct(candidate: Candidate, verdict: str, lead: User | None = None) -> None:
    """A lead's later ruling replaces the one in force."""
    version = live(candidate.criteria_set)
    before = candidate.rulings.current().get(version=version)
    before.superseded_at = timezone.now()
    before.save()
    candidate.rulings.create(
        version=version, verdict=verdict, blind=True, source="browser", ruled_by=lead, supersedes=before
    )
