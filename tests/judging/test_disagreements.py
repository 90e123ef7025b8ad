"""Where the jurors of a panel differ: counts, rows side by side, and who may see which row."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from judging.models import CriterionScore, JudgeVersion, Run, Verdict
from judging.services.disagreements import differing, gaps_of, patterns_of
from labeling.models import AuditEvent, CriteriaSet, Criterion, Exposure
from tests.factories import live, make_candidate, make_criteria_set, make_judge, make_panel, make_user
from tests.judging.golden import certified, make_run

pytestmark = pytest.mark.django_db

type Said = tuple[str, dict[str, int]]  # a juror's outcome, and its scores by criterion
PASS: Said = ("pass", {"meets_criteria": 1, "clear": 5})
FAIL: Said = ("fail", {"meets_criteria": 0, "clear": 2})
DULL: Said = ("pass", {"meets_criteria": 1, "clear": 3})
NONE: Said = ("skipped", {})


def panel_run(*rows: tuple[Said, ...], split: str = "tune", on_split: str = "majority") -> Run:
    """A finished run of a panel whose jurors said this, row by row."""
    criteria_set = make_criteria_set("replies")
    Criterion.objects.create(
        version=live(criteria_set), position=2, name="clear", description="Clear.", scale_min=1, scale_max=5
    )
    jurors = [make_judge(f"juror{number}", family=f"f{number}") for number, _ in enumerate(rows[0], start=1)]
    run = Run.objects.create(
        judge_version=make_panel(jurors, "panel"),
        criteria_version=live(criteria_set),
        state="finished",
        on_split=on_split,
        finished_at=timezone.now(),
    )
    for said in rows:
        add_row(run, jurors, said, split)
    return run


def add_row(run: Run, jurors: list[JudgeVersion], said: tuple[Said, ...], split: str) -> Verdict:
    candidate = make_candidate(run.criteria_version.criteria_set, split=split)
    about: dict[str, Any] = {"run": run, "candidate": candidate, "candidate_hash": candidate.content_hash}
    about |= {"filled_at": timezone.now()}
    own = Verdict.objects.create(judge_version=run.judge_version, kind="panel", outcome="pass", **about)
    criteria = {each.name: each for each in run.criteria_version.criteria.all()}
    for juror, (outcome, scores) in zip(jurors, said, strict=True):
        reason = "timeout" if outcome == "skipped" else ""
        overall = (scores["meets_criteria"] + (scores["clear"] - 1) / 4) / 2 if scores else None
        beneath = {"panel_verdict": own, "outcome": outcome, "reason": reason, "score": overall}
        verdict = Verdict.objects.create(judge_version=juror, kind="juror", **about, **beneath)
        CriterionScore.objects.bulk_create(
            CriterionScore(verdict=verdict, criterion=criteria[name], score=score, reason=f"{name}: {juror}.")
            for name, score in scores.items()
        )
    return own


def enter(client: Client, criteria_set: CriteriaSet) -> User:
    lead = make_user(lead_of=criteria_set)
    client.force_login(lead, backend="django.contrib.auth.backends.ModelBackend")
    return lead


def text_of(client: Client, run: Run, query: str = "") -> str:
    response = client.get(f"/runs/{run.pk}/disagreements/{query}")
    assert response.status_code == 200
    return re.sub(r"\s+", " ", response.content.decode())


def shown_rows(text: str) -> list[int]:
    return [int(pk) for pk in re.findall(r'aria-label="Row (\d+)"', text)]


def candidates(run: Run) -> list[int]:
    return list(run.verdicts.filter(kind="panel").order_by("pk").values_list("candidate", flat=True))


def test_rows_are_counted_by_what_each_juror_said() -> None:
    run = panel_run((PASS, PASS, FAIL), (DULL, PASS, FAIL), (FAIL, NONE, FAIL), (NONE, NONE, NONE))

    assert patterns_of(run, run.judge_version.jurors()) == {
        ("pass", "pass", "fail"): 2,
        ("fail", "skipped", "fail"): 1,
    }


def test_each_criterion_says_how_often_and_how_far_jurors_are_apart() -> None:
    run = panel_run((PASS, PASS, FAIL), (PASS, DULL, PASS), (PASS, PASS, PASS), (FAIL, NONE, NONE))

    correct, clear = gaps_of(run)

    assert (correct.criterion.name, correct.rows, correct.differing) == ("meets_criteria", 3, 1)
    assert correct.mean == pytest.approx(1 / 3)
    assert correct.widest == 1
    assert (clear.rows, clear.differing, clear.widest) == (3, 2, 3)
    assert clear.mean == pytest.approx(5 / 3)


def test_counts_of_a_run_without_rows_are_none() -> None:
    run = panel_run((NONE, NONE, NONE))

    assert patterns_of(run, run.judge_version.jurors()) == {}
    assert [(gap.rows, gap.differing, gap.mean, gap.widest) for gap in gaps_of(run)] == [
        (0, 0, None, None)
    ] * 2


def test_splits_come_first_then_rows_whose_scores_are_furthest_apart() -> None:
    near, harsh = ("pass", {"meets_criteria": 1, "clear": 4}), ("fail", {"meets_criteria": 1, "clear": 4})
    run = panel_run((PASS, near), (PASS, PASS), (PASS, DULL), (near, harsh), (PASS, FAIL), (FAIL, NONE))

    found = [verdict.candidate_id for verdict in differing(run)]

    first, _, third, fourth, fifth, _ = candidates(run)
    assert found == [fifth, fourth, third, first]


def test_rows_of_one_criterion_are_those_that_differ_on_it() -> None:
    run = panel_run((PASS, DULL), (PASS, FAIL), (PASS, PASS))
    clear = run.criteria_version.criteria.get(name="clear")

    assert [verdict.candidate_id for verdict in differing(run, clear)] == candidates(run)[1::-1]


def test_repeats_of_a_question_are_not_counted_again() -> None:
    run = panel_run((PASS, FAIL), (PASS, PASS))
    Verdict.objects.filter(pk=run.verdicts.filter(kind="panel").first().pk).update(repeat=1)  # type: ignore[union-attr]

    assert patterns_of(run, run.judge_version.jurors()) == {("pass", "pass"): 1}
    assert not differing(run)


def test_the_page_says_how_often_jurors_differ(client: Client) -> None:
    run = panel_run((PASS, PASS, FAIL), (PASS, PASS, PASS), (FAIL, FAIL, FAIL), (PASS, NONE, PASS))
    enter(client, run.criteria_version.criteria_set)

    shown = text_of(client, run)

    assert "fail 1 of 4 rows (25%)" in shown
    assert "juror1@1 and juror3@1</th>" in shown
    assert '75%</td> <td class="num" data-label="Kappa">0.500</td>' in shown
    assert "12 questions." in shown
    assert "9 would have brought the very same verdicts: 25% fewer." in shown


def test_where_splits_go_to_people_nobody_could_be_left_out(client: Client) -> None:
    run = panel_run((PASS, PASS, PASS), on_split="human")
    enter(client, run.criteria_version.criteria_set)

    shown = text_of(client, run)

    assert "so nobody could have been left out" in shown
    assert "fewer" not in shown


def test_tune_rows_are_shown_side_by_side_and_that_is_noted(client: Client) -> None:
    run = panel_run((PASS, FAIL), (PASS, PASS))
    lead = enter(client, run.criteria_version.criteria_set)

    shown = text_of(client, run)

    assert shown_rows(shown) == candidates(run)[:1]
    assert "<strong>5</strong> clear: juror1@1." in shown
    assert "<strong>2</strong> clear: juror2@1." in shown
    assert list(Exposure.objects.values_list("user", "candidate", "what")) == [
        (lead.pk, candidates(run)[0], "verdicts")
    ]


def test_rows_that_certify_stay_closed_until_they_are_asked_for(client: Client) -> None:
    run = panel_run(*[(PASS, FAIL)] * 11, split="certify")
    lead = enter(client, run.criteria_version.criteria_set)
    address = f"/runs/{run.pk}/disagreements/"

    before = text_of(client, run)
    client.post(address)
    after = text_of(client, run)

    assert (shown_rows(before), "clear: juror1@1." in before) == ([], False)
    assert "11 more rows certify judges" in before
    assert shown_rows(after) == candidates(run)[:10]
    assert Exposure.objects.filter(user=lead, what="verdicts").count() == 10
    assert AuditEvent.objects.filter(action="verdicts_opened", actor=lead).count() == 1


def test_what_one_lead_opened_stays_closed_to_another(client: Client) -> None:
    run = panel_run((PASS, FAIL), split="certify")
    enter(client, run.criteria_version.criteria_set)
    client.post(f"/runs/{run.pk}/disagreements/")

    enter(client, run.criteria_version.criteria_set)

    assert shown_rows(text_of(client, run)) == []


def test_opening_keeps_to_the_criterion_that_is_looked_at(client: Client) -> None:
    meets = ("fail", {"meets_criteria": 0, "clear": 5})
    run = panel_run((PASS, meets), (PASS, DULL), split="certify")
    enter(client, run.criteria_version.criteria_set)

    answer = client.post(f"/runs/{run.pk}/disagreements/?criterion=clear")

    assert answer["Location"].endswith("?criterion=clear")
    assert list(Exposure.objects.values_list("candidate", flat=True)) == candidates(run)[1:]


def test_the_page_costs_the_same_queries_for_any_number_of_rows(client: Client) -> None:
    run = panel_run(*[(PASS, FAIL)] * 2)
    enter(client, run.criteria_version.criteria_set)

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            text_of(client, run)
        return len(captured)

    text_of(client, run)  # what is shown is noted once
    before = queries()
    for _ in range(7):
        add_row(run, run.judge_version.jurors(), (PASS, FAIL), "tune")
    text_of(client, run)

    assert queries() == before


def test_a_juror_that_was_not_asked_differs_from_nobody(client: Client) -> None:
    run = panel_run((PASS, PASS, NONE), (PASS, FAIL, PASS))
    unasked = run.verdicts.filter(kind="juror", outcome="skipped")
    unasked.update(outcome="not_asked", reason="decided", detail="The others had decided.")
    enter(client, run.criteria_version.criteria_set)

    shown = text_of(client, run)

    assert "asked nobody whose answer could no longer matter: 5 questions instead of 6" in shown
    assert "fewer" not in shown
    assert shown_rows(shown) == candidates(run)[1:]


def test_what_asking_in_turn_would_have_saved_is_by_each_jurors_price(client: Client) -> None:
    run = panel_run((PASS, PASS, PASS), (PASS, FAIL, PASS))
    jurors = run.judge_version.jurors()
    run.verdicts.filter(judge_version=jurors[2]).update(cost="0.02")
    enter(client, run.criteria_version.criteria_set)

    assert "5 would have brought the very same verdicts: 16.7% fewer, and $0.0200 less." in text_of(
        client, run
    )
    run.verdicts.update(cost=None)
    assert "16.7% fewer." in text_of(client, run)


def test_repeats_of_a_question_count_once(client: Client) -> None:
    run = panel_run((PASS, FAIL), (PASS, PASS))
    enter(client, run.criteria_version.criteria_set)
    before = text_of(client, run)
    for verdict in run.verdicts.filter(kind="panel"):
        jurors = list(verdict.juror_verdicts.all())
        verdict.pk, verdict.repeat = None, 1
        verdict.save()
        for juror in jurors:
            scores = list(juror.scores.all())
            juror.pk, juror.repeat, juror.panel_verdict, juror.outcome = None, 1, verdict, "fail"
            juror.save()
            for score in scores:
                score.pk, score.verdict, score.score = None, juror, 1
                score.save()

    def counts(text: str) -> str:
        return text.partition("<main")[2].partition("</main>")[0]

    assert counts(text_of(client, run)) == counts(before)


def test_a_run_of_one_model_has_no_such_page_and_no_link_to_one(client: Client) -> None:
    criteria_set = make_criteria_set()
    run = make_run(make_judge(), criteria_set, a=1)
    enter(client, criteria_set)

    assert client.get(f"/runs/{run.pk}/disagreements/").status_code == 404
    assert "disagreements/" not in client.get(f"/runs/{run.pk}/").content.decode()


def test_the_run_and_the_certificate_lead_here(client: Client) -> None:
    criteria_set = make_criteria_set("replies")
    run = make_run(make_panel([make_judge(), make_judge()], "panel"), criteria_set, a=1, d=1)
    certified(run)
    enter(client, criteria_set)

    for address in (f"/runs/{run.pk}/", "/dashboard/panel/replies/panel/"):
        assert f'href="/runs/{run.pk}/disagreements/"' in client.get(address).content.decode()


def test_only_leads_of_the_set_may_look(client: Client) -> None:
    run = panel_run((PASS, FAIL))
    address = f"/runs/{run.pk}/disagreements/"

    enter(client, make_criteria_set())
    assert (client.get(address).status_code, client.post(address).status_code) == (404, 404)
    labeler = make_user(labels=run.criteria_version.criteria_set)
    client.force_login(labeler, backend="django.contrib.auth.backends.ModelBackend")
    assert (client.get(address).status_code, client.post(address).status_code) == (403, 403)
    assert not Exposure.objects.exists()
