"""A certificate that lives: earned by a real run against a scripted judge, and replayed by others."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from django.utils import timezone

from judging.domain.reasons import CertificateReason, Reason
from judging.models import Certificate, JudgeVersion, Run, Verdict
from judging.services.engine import work_on
from judging.services.finishing import finish_run
from judging.services.runs import start_run
from judging.services.standing import Standing, find_standing
from judging.services.suspending import suspend
from labeling.models import CriteriaSet
from tests.factories import live, make_criteria_set
from tests.judging.running import juror, scripted
from tests.judging.scheduling import settle
from tests.scripted_judge import ScriptedJudge

ROWS = 10


@dataclass(frozen=True)
class House:
    """A judge that agrees with people on every golden row, and who answers for it."""

    provider: ScriptedJudge
    judge: JudgeVersion
    criteria_set: CriteriaSet

    def run(self, kind: str = "scoring", judge: JudgeVersion | None = None) -> Run:
        """A run over all golden rows, worked on until it ends."""
        started = start_run(
            judge_version=judge or self.judge,
            criteria_version=live(self.criteria_set),
            kind=kind,
            asks_all=True,
        )
        return worked_on(started)

    def standing(self, judge: JudgeVersion | None = None) -> Standing:
        return standing_of(judge or self.judge, self.criteria_set)

    def codes(self, judge: JudgeVersion | None = None) -> list[str]:
        return [str(reason.code) for reason in self.standing(judge).reasons]


@contextmanager
def living(
    monkeypatch: pytest.MonkeyPatch, judge: JudgeVersion | None = None, rows: int = ROWS
) -> Iterator[House]:
    """A few golden rows, on which a judge earns a certificate by a real run."""
    criteria_set = make_criteria_set()
    CriteriaSet.objects.filter(pk=criteria_set.pk).update(min_rows=ROWS)
    settled = settle(criteria_set, rows)
    verdicts = {row.output: "fail" if number % 2 else "pass" for number, row in enumerate(settled)}
    with scripted(monkeypatch, verdicts=verdicts) as provider:
        house = House(provider, judge or juror("even"), criteria_set)
        house.run("calibration")
        assert house.standing().certified
        yield house


def worked_on(run: Run) -> Run:
    work_on(run.pk)
    run.refresh_from_db()
    return run


def standing_of(judge: JudgeVersion, criteria_set: CriteriaSet) -> Standing:
    return find_standing(
        judge=judge.judge.slug,
        criteria=criteria_set.slug,
        sets=None,
        now=timezone.now(),
        judge_version=judge.number,
        version=live(criteria_set).number,
    )


def replay(certificate: Certificate, *, wrong: int = 0, right: int = 0, skipped: int = 0) -> Run:
    """A golden replay that has just ended, without a model: so many rows that were right come out wrong, so
    many that were wrong come out right, and so many have no verdict; all others as they did.
    """
    run = start_run(
        judge_version=certificate.judge_version, criteria_version=certificate.criteria_version, kind="replay"
    )
    left: dict[str, int] = {"wrong": wrong, "right": right, "skipped": skipped}
    then = certificate.calibration.rows.order_by("pk").values_list("candidate", "truth", "outcome")
    outcomes = {candidate: _now(truth, outcome, left) for candidate, truth, outcome in then}
    verdicts = list(run.verdicts.filter(panel_verdict=None))
    for verdict in verdicts:
        verdict.outcome = outcomes.get(verdict.candidate_id, "pass")
        verdict.reason, verdict.filled_at = "timeout" * (verdict.outcome == "skipped"), timezone.now()
    Verdict.objects.bulk_update(verdicts, ["outcome", "reason", "filled_at"])
    assert finish_run(run_id=run.pk)
    return run


def _now(truth: str, then: str, left: dict[str, Any]) -> str:
    change = "wrong" if then == truth else "right"
    for kind in (change, "skipped"):
        if left[kind] > 0:
            left[kind] -= 1
            return "skipped" if kind == "skipped" else {"pass": "fail", "fail": "pass"}[then]
    return then


def suspended(certificate: Certificate) -> Certificate:
    """Its suspension, as the live audit suspends."""
    found = suspend(
        judge_version_id=certificate.judge_version_id,
        criteria_version_id=certificate.criteria_version_id,
        reason=Reason(CertificateReason.DRIFT_ALARM, "audit", "People disagreed with it."),
        cause=Certificate.Cause.DRIFT,
        now=timezone.now(),
    )
    assert found is not None
    return found
