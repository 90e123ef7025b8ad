"""What came out of a run, on its page and in the list: the bars say what the database says."""

import re

import pytest
from django.db.models import Q
from django.test import Client

from judging.models import Run, Verdict
from judging.services.progress import progress
from judging.views.run_figures import skip_lines
from judging.views.run_outcomes import outcomes_listed, outcomes_of
from judging.views.runs import seconds_between
from tests.factories import make_criteria_set, make_judge, make_panel, make_user
from tests.judging.golden import certified, make_run
from tests.judging.running import rows, scoring

pytestmark = pytest.mark.django_db


@pytest.fixture
def run() -> Run:
    """A finished calibration by a panel of two; one juror fails a row that the panel passes."""
    panel = make_panel([make_judge("first"), make_judge("second")], "both")
    made = make_run(panel, make_criteria_set("replies"), a=6, b=1, d=3, skipped_pass=2)
    turned = made.verdicts.filter(judge_version__judge__slug="second", outcome="pass").first()
    assert turned is not None
    Verdict.objects.filter(pk=turned.pk).update(outcome="fail")
    return made


def shown(client: Client, run: Run, address: str) -> str:
    client.force_login(make_user(lead_of=run.criteria_version.criteria_set))
    return re.sub(r"\s+", " ", client.get(address).text)


def counted(run: Run, judge: str) -> dict[str, int]:
    """Straight from the table."""
    found: dict[str, int] = {}
    for outcome in run.verdicts.filter(judge_version__judge__slug=judge).values_list("outcome", flat=True):
        found[outcome] = found.get(outcome, 0) + 1
    return found


def test_panel_and_jurors_each_have_a_bar_with_their_own_counts(run: Run) -> None:
    bars = outcomes_of(run, progress(run))

    assert [(bar.name, bar.role) for bar in bars] == [
        ("both@1", "panel"),
        ("first@1", "juror"),
        ("second@1", "juror"),
    ]
    for bar, judge in zip(bars, ("both", "first", "second"), strict=True):
        assert {part.kind: part.rows for part in bar.parts} == counted(run, judge)
    assert counted(run, "second") == {"pass": 5, "fail": 5, "skipped": 2}


def test_a_judge_alone_has_one_bar_and_waiting_rows_are_a_part_of_it() -> None:
    waiting = scoring(make_judge("alone"), rows(3))

    [bar] = outcomes_of(waiting, progress(waiting))

    assert (bar.words, bar.done, bar.rows) == ("alone@1: waiting 3", 0, 3)


def test_the_page_shows_every_count_as_text_and_leads_to_the_rows(client: Client, run: Run) -> None:
    page = shown(client, run, f"/runs/{run.pk}/")

    assert 'aria-label="both@1: pass 6, fail 4, no verdict 2"' in page
    assert 'aria-label="second@1: pass 5, fail 5, no verdict 2"' in page
    assert f'href="/runs/{run.pk}/verdicts/?outcome=fail" aria-label="fail: 4 rows, 33.3%"' in page
    assert '<td class="num" data-label="Pass">5</td>' in page
    assert "style=" not in page


def test_the_list_shows_the_outcomes_of_each_runs_own_judge(client: Client, run: Run) -> None:
    page = shown(client, run, "/runs/")

    assert "12 of 12" in page
    assert 'aria-label="both@1: pass 6, fail 4, no verdict 2"' in page
    assert "pass 6 · fail 4 · no verdict 2" in page


def test_what_layer_1_killed_is_called_so_and_not_what_others_had_decided(client: Client, run: Run) -> None:
    killed, decided = run.verdicts.filter(judge_version__judge__slug="second", outcome="skipped")
    both = Verdict.objects.filter(Q(pk=killed.pk) | Q(juror_verdicts=killed))
    both.update(outcome="not_asked", reason="killed")
    Verdict.objects.filter(pk=decided.pk).update(outcome="not_asked", reason="decided")

    assert outcomes_of(run, progress(run))[2].words == "second@1: pass 5, fail 5, killed 1, not asked 1"
    assert "pass 6 · fail 4 · no verdict 1 · killed 1" in shown(client, run, "/runs/")
    assert 'aria-label="both@1: pass 6, fail 4, no verdict 1, killed 1"' in shown(
        client, run, f"/runs/{run.pk}/"
    )


def test_models_and_panels_are_listed_side_by_side(run: Run) -> None:
    alone = make_run(make_judge("alone"), run.criteria_version.criteria_set, a=4)

    listed = outcomes_listed([run, alone])

    assert [bar.words for _, bar in listed] == [
        "both@1: pass 6, fail 4, no verdict 2",
        "alone@1: pass 4",
    ]


def test_reasons_are_bars_as_long_as_they_are_frequent(run: Run) -> None:
    asked = Verdict.objects.filter(run=run, outcome="skipped", kind="juror")
    Verdict.objects.filter(pk=asked.values("pk")[:1]).update(reason="not_json")

    lines = skip_lines(progress(run))

    assert [(line.code, line.rows, line.answers, line.width) for line in lines] == [
        ("timeout", 2, 3, 100),
        ("not_json", 0, 1, 20),
    ]


def test_a_finished_calibration_leads_to_its_certificate(client: Client, run: Run) -> None:
    run.verdicts.filter(reason="timeout").update(reason="not_json")  # what passes would be asked again first
    certified(run)

    page = shown(client, run, f"/runs/{run.pk}/")

    assert 'href="/dashboard/both/replies/?judge_version=1&amp;version=1">Open the certificate</a>' in page


@pytest.mark.parametrize(("counting", "waits"), [(0.004, 2), (0.35, 7), (1.6, 32), (9.0, 60)])
def test_the_longer_counting_takes_the_less_often_a_page_asks(counting: float, waits: int) -> None:
    assert seconds_between(counting) == waits


def test_a_running_page_reloads_without_javascript_and_a_finished_one_does_not(
    client: Client, run: Run
) -> None:
    waiting = scoring(make_judge("alone"), rows(1))

    refresh = '<noscript><meta http-equiv="refresh" content="10"></noscript>'
    assert refresh in shown(client, waiting, f"/runs/{waiting.pk}/")
    assert "refresh" not in shown(client, run, f"/runs/{run.pk}/")
