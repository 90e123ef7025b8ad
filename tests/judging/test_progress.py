"""What a run's figures say beyond rows done: re-asked, resent, not needed, and what that was worth."""

from decimal import Decimal

import pytest

from judging.domain.reasons import DECIDED, KILLED
from judging.models import Run, Verdict
from judging.services.progress import progress
from judging.services.retrying import retry_skipped
from judging.views.run_figures import money_saved, per_decision, saved_lines
from tests.factories import make_candidate, make_criteria_set, make_judge, make_panel
from tests.judging.golden import make_run
from tests.judging.running import frugal, juror, rows, scripted

pytestmark = pytest.mark.django_db


def panel_run() -> Run:
    """Four rows of a panel of two, every answer at 1 or 3 cents."""
    run = make_run(make_panel([make_judge(), make_judge()]), make_criteria_set(), a=4, kind="scoring")
    for judge, cents in zip(run.judge_version.jurors(), ("0.01", "0.03"), strict=True):
        run.verdicts.filter(judge_version=judge).update(cost=Decimal(cents), calls=1, answered_model="m")
    return run


def answers(run: Run, seat: int) -> list[Verdict]:
    judge = run.judge_version.jurors()[seat]
    return list(run.verdicts.filter(judge_version=judge).order_by("pk"))


def unask(verdict: Verdict, reason: str) -> None:
    Verdict.objects.filter(pk=verdict.pk).update(
        outcome="not_asked", reason=reason, cost=None, calls=0, answered_model=""
    )


def test_calls_not_made_are_worth_what_their_own_juror_costs() -> None:
    run = panel_run()
    first, second = answers(run, 0), answers(run, 1)
    for verdict in (first[0], second[0]):
        unask(verdict, KILLED)
    unask(second[1], DECIDED)
    Verdict.objects.filter(pk=first[2].pk).update(reused_from=first[3], cost=Decimal(0), calls=0)

    figures = progress(run)

    saved = figures.saved
    assert (saved.killed, saved.decided, saved.reused, saved.calls) == (2, 1, 1, 4)
    assert saved.cost == Decimal("0.01") * 2 + Decimal("0.03") * 2
    assert figures.unpriced == 0  # what was taken over has no price of its own
    assert [line.split()[0] for line in saved_lines(figures)] == ["2", "1", "1"]
    assert money_saved(figures).startswith("about $0.0800, each call at what its juror")


def test_what_was_taken_over_is_worth_what_it_cost_when_it_was_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    judge, criteria_set = juror("pass", price={"input": "1000", "output": "1000"}), rows(9)
    with scripted(monkeypatch):
        each = progress(frugal(judge, criteria_set)).cost / 9  # type: ignore[operator]
        make_candidate(criteria_set)
        one_asked = progress(frugal(judge, criteria_set))
        none_asked = progress(frugal(judge, criteria_set))

    assert (one_asked.saved.reused, one_asked.cost, one_asked.saved.cost) == (9, each, 9 * each)
    assert (none_asked.saved.reused, none_asked.saved.cost) == (10, None)


def test_a_decision_costs_what_the_run_cost_by_the_rows_that_were_decided() -> None:
    figures = progress(panel_run())

    assert figures.cost_per_decision == Decimal("0.04")
    assert per_decision(figures) == "$0.0400"


def test_without_prices_nothing_is_made_up() -> None:
    run = panel_run()
    run.verdicts.update(cost=None)
    unask(answers(run, 1)[0], DECIDED)

    figures = progress(run)

    assert (figures.cost_per_decision, figures.saved.cost) == (None, None)
    assert per_decision(figures) == "not known"
    assert money_saved(figures) == "not known, as no answer here had a known price"


def test_before_the_first_decision_there_is_no_cost_of_one() -> None:
    run = make_run(make_judge(), make_criteria_set(), skipped_fail=1)

    assert per_decision(progress(run)) == ""


def test_resends_and_corrections_are_counted_apart() -> None:
    run = panel_run()
    Verdict.objects.filter(pk=answers(run, 0)[0].pk).update(calls=4, resends=2, corrections=1)

    figures = progress(run)

    assert (figures.calls, figures.resends, figures.corrections) == (11, 2, 1)


def test_what_was_spent_before_asking_again_stays_in_the_totals() -> None:
    run = panel_run()
    verdict = answers(run, 0)[0]
    Verdict.objects.filter(pk=verdict.pk).update(outcome="skipped", reason="timeout", calls=3)
    before = progress(run)

    retry_skipped(run=run)

    after = progress(Run.objects.get(pk=run.pk))
    assert (before.calls, before.cost) == (after.calls, after.cost) == (10, Decimal("0.16"))
    assert (after.done, after.total) == (3, 4)
