"""A recount of the rows that changed says what a count of all rows would say."""

from collections import Counter
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judging.domain.false_kills import counted as kills_by_check
from judging.models import Calibration, CalibrationRow, Certificate, Run
from judging.services.calibration import CELLS, golden_hash, golden_truths, layer1, unresolved_rows
from judging.services.certification import golden_set_changed
from labeling.models import Candidate, Label, Ruling
from tests.factories import live, make_criteria_set, make_judge, make_label, make_panel, make_user
from tests.judging.golden import certified, correct, make_run

pytestmark = pytest.mark.django_db

# What somebody does to a row: rule on it, blind or not, take the rulings away, give a label, or take it back.
_ACTS = st.sampled_from(
    ["pass", "fail", "unresolved", "seen", "unruled", "says pass", "says fail", "silent", "unsaid"]
)


def act(candidate: Candidate, what: str) -> None:
    rulings = Ruling.objects.current().filter(candidate=candidate)
    if what.startswith("says "):
        make_label(candidate, make_user(), what.removeprefix("says "))
        return
    if what in ("unsaid", "silent"):  # one label is withdrawn, or all are
        labels = list(Label.objects.current().filter(candidate=candidate))
        for label in labels[: 1 if what == "unsaid" else None]:
            label.withdrawn_at = timezone.now()
            label.save()
        return
    rulings.update(superseded_at=timezone.now())
    if what != "unruled":
        verdict, blind = ("pass", False) if what == "seen" else (what, True)
        candidate.rulings.create(
            version=live(candidate.criteria_set), verdict=verdict, blind=blind, source="browser"
        )


def figures(calibration: Calibration) -> dict[str, Any]:
    """Everything that a recount changes."""
    cells = [*"abcd", *(f"unkilled_{cell}" for cell in "abcd")]
    names = [*cells, "skipped_pass", "skipped_fail", "escalated", "unresolved", "golden_hash", "layer1"]
    rows = calibration.rows.values_list("candidate", "truth", "outcome")
    return {name: getattr(calibration, name) for name in names} | {"rows": sorted(rows)}


def counted_in_full(calibration: Calibration) -> dict[str, Any]:
    """The same, counted one by one over all rows as they stand now."""
    truths, run = golden_truths(calibration.run), calibration.run
    answers = run.verdicts.filter(judge_version=calibration.judge_version)
    outcomes = dict(answers.values_list("candidate", "outcome"))
    rows = sorted((candidate, truth, outcomes[candidate]) for candidate, truth in truths.items())
    cells = Counter((truth, outcome) for _, truth, outcome in rows)
    killed = layer1(run.criteria_version, truths)
    unkilled = Counter((truth, outcome) for candidate, truth, outcome in rows if not killed[candidate])
    return {
        **{cell: cells[pair] for pair, cell in CELLS.items()},
        **{f"unkilled_{cell}": unkilled[pair] for pair, cell in CELLS.items()},
        "escalated": sum(outcome == "escalated" for _, _, outcome in rows),
        "skipped_pass": cells["pass", "skipped"],
        "skipped_fail": cells["fail", "skipped"],
        "unresolved": Candidate.objects.with_truth(run.criteria_version).filter(truth="unresolved").count(),
        "golden_hash": golden_hash(truths),
        "layer1": kills_by_check((killed[candidate], truth) for candidate, truth, _ in rows),
        "rows": rows,
    }


def panel_run(**cells: Any) -> Run:
    return make_run(make_panel([make_judge(), make_judge()]), make_criteria_set(), **cells)


def varied(run: Run) -> None:
    """A row that Layer 1 kills, one sent to people, and jurors that say otherwise than their panel."""
    rows = list(Candidate.objects.filter(verdicts__run=run, verdicts__panel_verdict=None).order_by("pk"))
    Candidate.objects.filter(pk=rows[0].pk).update(output=" ")
    run.verdicts.filter(candidate=rows[1], panel_verdict=None).update(outcome="escalated")
    one = run.judge_version.jurors()[0]
    run.verdicts.filter(candidate=rows[2], judge_version=one).update(outcome="skipped", reason="timeout")
    run.verdicts.filter(candidate=rows[3], judge_version=one).update(outcome="fail")


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(acts=st.lists(st.lists(st.tuples(st.integers(0, 9), _ACTS), min_size=1, max_size=3), max_size=5))
def test_recounts_add_up_to_a_full_count(db: None, acts: list[list[tuple[int, str]]]) -> None:
    run = panel_run(a=2, b=1, c=1, d=2, skipped_pass=1, skipped_fail=1)
    varied(run)
    rows = list(Candidate.objects.filter(criteria_set=run.criteria_version.criteria_set).order_by("pk"))
    # A juror with a run and a certificate of its own, over rows of which the panel was asked about none.
    alone = make_run(run.judge_version.jurors()[0], run.criteria_version.criteria_set, a=1, d=1)
    rows += Candidate.objects.filter(verdicts__run=alone).order_by("pk")
    certified(run, timezone.now())
    certified(alone, timezone.now())

    for together in acts:
        for number, what in together:
            act(rows[number], what)
        golden_set_changed(run.criteria_version, [rows[number].pk for number, _ in together])

    told_of_all = all(number < 8 for together in acts for number, _ in together)
    for counted in (run, alone):
        for calibration in counted.calibrations.filter(is_current=True):
            found, full = figures(calibration), counted_in_full(calibration)
            if counted is alone or not told_of_all:  # open rows that a judge was not asked about are not told
                found["unresolved"] = full["unresolved"]
            assert found == full


@pytest.mark.parametrize("what", ["unresolved", "seen", "says pass", "unruled"])
def test_unresolved_rows_are_those_of_that_truth(what: str) -> None:
    run = panel_run(a=2, d=2)
    rows = list(Candidate.objects.filter(criteria_set=run.criteria_version.criteria_set))
    Ruling.objects.filter(candidate__in=rows[:2]).delete()
    for each, verdict in zip([rows[0], rows[0], rows[1]], ["pass", "fail", "pass"], strict=True):
        make_label(each, make_user(), verdict)
    act(rows[2], what)

    asked = Candidate.objects.with_truth(run.criteria_version).filter(truth="unresolved")

    assert unresolved_rows(run.criteria_version) == asked.count()


def test_an_earlier_calibration_keeps_the_rows_it_counted() -> None:
    run = panel_run(a=20, d=20)
    before = certified(run, timezone.now()).calibration
    row = before.rows.filter(truth="pass")[0].candidate
    correct(row, "fail")

    golden_set_changed(run.criteria_version, [row.pk])

    after = Certificate.objects.current().get().calibration
    assert before.rows.get(candidate=row).truth == "pass"
    assert after.rows.get(candidate=row).truth == "fail"
    assert (before.rows.count(), after.rows.count()) == (40, 40)


def work(rows: int) -> tuple[int, int]:
    """Statements that one correction takes, and rows that it adds."""
    run = panel_run(a=rows, d=rows)
    calibration = certified(run, timezone.now()).calibration
    row = calibration.rows.filter(truth="pass")[0].candidate
    correct(row, "fail")
    before = CalibrationRow.objects.count()
    with CaptureQueriesContext(connection) as statements:
        golden_set_changed(run.criteria_version, [row.pk])
    return len(statements), CalibrationRow.objects.count() - before


def test_a_correction_costs_the_same_however_many_rows_there_are() -> None:
    assert work(5) == work(400)


def test_a_label_that_changes_no_truth_changes_nothing() -> None:
    run = panel_run(a=20, d=20)
    certified(run, timezone.now())
    candidate = Candidate.objects.filter(rulings__verdict="pass").first()
    assert candidate is not None
    make_label(candidate, make_user(), "fail")

    with CaptureQueriesContext(connection) as statements:
        golden_set_changed(run.criteria_version, [candidate.pk])

    assert Calibration.objects.filter(is_current=False).count() == 0
    assert Label.objects.count() == 1
    written = [each["sql"] for each in statements if not each["sql"].startswith(("SELECT", "SAVE", "REL"))]
    assert written == []
