"""Live rows that people check: judged, drawn and settled, written straight into the tables."""

from django.utils import timezone

from judging.models import JudgeVersion, Run, Verdict
from judging.services.audits import draw_for_audit
from labeling.domain.content import content_hash, request_hash
from labeling.models import Candidate, CriteriaSet, Draw, DrawnRow, Ruling
from tests.factories import live
from tests.judging.golden import _numbers


def make_scoring(judge_version: JudgeVersion, criteria_set: CriteriaSet, outcomes: list[str]) -> Run:
    """A finished scoring run over new rows that nobody has labelled, with these outcomes."""
    run = Run.objects.create(
        judge_version=judge_version,
        criteria_version=live(criteria_set),
        kind="scoring",
        state="finished",
        finished_at=timezone.now(),
    )
    rows = Candidate.objects.bulk_create(_row(criteria_set) for _ in outcomes)
    Verdict.objects.bulk_create(
        Verdict(
            run=run,
            candidate=row,
            judge_version=judge_version,
            kind="panel" if judge_version.kind == "panel" else "juror",
            candidate_hash=row.content_hash,
            outcome=outcome,
            reason="timeout" if outcome == "skipped" else "",
            filled_at=timezone.now(),
        )
        for row, outcome in zip(rows, outcomes, strict=True)
    )
    return run


def _row(criteria_set: CriteriaSet) -> Candidate:
    output = f"Live row {next(_numbers)}."
    return Candidate(
        criteria_set=criteria_set,
        request="Say so.",
        output=output,
        content_hash=content_hash("Say so.", output, "", ""),
        request_hash=request_hash("Say so."),
    )


def audit(judge_version: JudgeVersion, criteria_set: CriteriaSet, agreements: list[bool]) -> Run:
    """A scoring run all of whose rows were drawn and then settled by people, who agreed so, in that order."""
    outcomes = ["fail" if number % 4 == 0 else "pass" for number in range(len(agreements))]
    run = make_scoring(judge_version, criteria_set, outcomes)
    draw_all(run)
    verdicts = run.verdicts.order_by("pk")
    for verdict, agreed in zip(verdicts, agreements, strict=True):
        truth = verdict.outcome if agreed else {"pass": "fail", "fail": "pass"}[verdict.outcome]
        _rule(verdict, truth)
    return run


def draw_all(run: Run) -> Draw:
    """Every row of a run as drawn for the audit."""
    draw = Draw.objects.create(
        version=run.criteria_version,
        strategy="audit",
        judge=str(run.judge_version),
        frame=run.verdicts.count(),
        is_equal=True,
    )
    DrawnRow.objects.bulk_create(
        DrawnRow(draw=draw, candidate_id=each.candidate_id, probability=1) for each in run.verdicts.all()
    )
    return draw


def _rule(verdict: Verdict, truth: str) -> None:
    Ruling.objects.create(
        candidate_id=verdict.candidate_id,
        version=verdict.run.criteria_version,
        verdict=truth,
        blind=True,
        source="browser",
    )


def drawn_by_a_run(run: Run) -> list[int]:
    """The ids of the rows that the audit draws from a run."""
    draw = draw_for_audit(run=run)
    return sorted(draw.rows.values_list("candidate_id", flat=True)) if draw else []
