"""The order of reference sets in the shell and over the API."""

import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from judging.models import GateReader, JudgeVersion, Run
from judging.services.engine import work_on_any
from judging.services.tokens import create_token
from labeling.models import Candidate, CriteriaSet
from tests.factories import live, make_criteria_set, make_judge, make_panel, make_user
from tests.judging.dashboards import certify, text
from tests.judging.golden import make_run
from tests.judging.references import make_set, make_sets, order
from tests.judging.running import juror, scripted

pytestmark = pytest.mark.django_db


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies")


@pytest.fixture
def judge() -> JudgeVersion:
    return make_judge("strict")


def ask(criteria_set: CriteriaSet, **query: Any) -> Any:
    _, secret = create_token(name="reader", scopes=["gate"], criteria_sets=[criteria_set])
    return Client(headers={"Authorization": f"Bearer {secret}"}).get(
        "/api/v1/orderings/strict/replies", query
    )


def test_the_command_waits_and_says_what_is_in_order(
    criteria_set: CriteriaSet, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sets = make_sets(criteria_set, 2)
    worse = [each.members.get(is_good=False).candidate.output for each in sets]
    monkeypatch.setattr("time.sleep", lambda seconds: work_on_any())

    with scripted(monkeypatch, verdicts=dict.fromkeys(worse, "fail")):
        call_command("order", str(juror().judge), "replies", wait=True)

    assert (
        capsys.readouterr().out
        == "IN ORDER  sets=2  violated=0 (95% upper bound 77.6%)  left out=0  AUC=1.000\n"
    )


def test_the_command_exits_with_one_on_a_violation_and_tells_json(
    criteria_set: CriteriaSet, judge: JudgeVersion, capsys: pytest.CaptureFixture[str]
) -> None:
    order(judge, make_sets(criteria_set, 2), "92 29")

    with pytest.raises(SystemExit) as ended:
        call_command("order", "strict", "replies", json=True)

    told = json.loads(capsys.readouterr().out)
    assert (ended.value.code, told["violated"], told["auc"], told["run"]["state"]) == (1, 1, 0.5, "running")


def test_without_a_result_the_command_exits_with_one(
    criteria_set: CriteriaSet, judge: JudgeVersion, capsys: pytest.CaptureFixture[str]
) -> None:
    make_set(criteria_set)

    with pytest.raises(SystemExit) as ended:
        call_command("order", "strict", "replies")

    assert ended.value.code == 1
    assert capsys.readouterr().out.startswith("NOT MEASURED")


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (("nobody", "replies"), "no judge “nobody”"),
        (("strict", "replies@7"), "has no version 7"),
        (("strict", "replies"), "no reference set"),
    ],
)
def test_wrong_names_and_no_sets_are_two(
    criteria_set: CriteriaSet, judge: JudgeVersion, names: tuple[str, str], sentence: str
) -> None:
    with pytest.raises(CommandError, match=sentence) as failed:
        call_command("order", *names)

    assert failed.value.returncode == 2


def test_the_api_tells_sets_bound_and_auc(criteria_set: CriteriaSet, judge: JudgeVersion) -> None:
    order(judge, make_sets(criteria_set, 4), "92 29 9- 92")

    told = ask(criteria_set).json()

    figures = {name: told[name] for name in ("sets", "violated", "left_out", "deciding_violated", "pairs")}
    assert figures == {"sets": 3, "violated": 1, "left_out": 1, "deciding_violated": 1, "pairs": 3}
    assert told["share"] == pytest.approx(1 / 3)
    assert told["upper_bound"] == pytest.approx(0.864650, abs=1e-6)  # 1 of 3: 3p²(1 − p) + p³ = .95
    assert (told["judge"], told["judge_version"], told["jurors"]) == ("strict", 1, [])


def test_the_api_tells_each_juror(criteria_set: CriteriaSet) -> None:
    first = make_judge("first")
    order(make_panel([first, make_judge("second")], "strict"), make_sets(criteria_set, 1), "92")

    told = ask(criteria_set).json()

    assert [each["judge"] for each in told["jurors"]] == ["first@1", "second@1"]


def test_who_asks_is_noted_and_a_misspelt_parameter_refused(
    criteria_set: CriteriaSet, judge: JudgeVersion
) -> None:
    assert ask(criteria_set, judge_versoin=1).status_code == 422
    assert not GateReader.objects.exists()

    assert ask(criteria_set).status_code == 200

    assert GateReader.objects.get().judge == judge.judge


def test_what_was_not_measured_is_null(criteria_set: CriteriaSet, judge: JudgeVersion) -> None:
    told = ask(criteria_set).json()

    assert (told["sets"], told["upper_bound"], told["auc"], told["as_of"]) == (0, None, None, None)
    assert ask(criteria_set, judge_version=9).status_code == 404


def test_calibrate_waits_for_the_order_that_the_policy_demands(
    criteria_set: CriteriaSet, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    CriteriaSet.objects.update(demand_ordering=True)
    make_run(make_judge(), criteria_set, a=16, d=16)  # whose rows are the golden set
    made = make_set(criteria_set)
    bad = Candidate.objects.filter(rulings__verdict="fail").values_list("output", flat=True)
    worse = [*bad, made.members.get(is_good=False).candidate.output]
    monkeypatch.setattr("time.sleep", lambda seconds: work_on_any())

    with scripted(monkeypatch, verdicts=dict.fromkeys(worse, "fail")):
        call_command("calibrate", str(juror().judge), "replies", wait=True)

    out, err = capsys.readouterr()
    assert out.startswith("CERTIFIED  n=32")
    assert "over the reference sets goes on beside it" in err


def test_a_calibration_says_what_runs_beside_it(criteria_set: CriteriaSet, judge: JudgeVersion) -> None:
    certify(judge, criteria_set, a=1, d=1)
    make_set(criteria_set)
    CriteriaSet.objects.update(demand_ordering=True)
    client = Client()
    client.force_login(make_user(lead_of=criteria_set))
    chosen: dict[str, str | int] = {
        "judge_version": judge.pk,
        "criteria_version": live(criteria_set).pk,
        "rows": "certify",
    }

    said = text(client.get("/runs/new/", chosen))

    assert "asks about the 2 outputs of the reference sets: 2 more calls" in said
    assert not Run.objects.filter(kind="ordering").exists()
