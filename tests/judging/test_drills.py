"""The gate drill over HTTP: rehearsed refusals, marked as such, and whether the consumer stopped."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from judging.models import ApiToken, Drill, GateReader, JudgeVersion
from judging.services import drills
from judging.services.tokens import create_token, revoke_tokens
from labeling.models import CriteriaSet
from tests.factories import make_criteria_set, make_judge
from tests.judging.dashboards import certify

pytestmark = pytest.mark.django_db

GATE, CERTIFICATION = "/api/v1/gate/strict/replies", "/api/v1/certifications/strict/replies"
ANSWERS = ["uncertified", "expired", "suspended", "unavailable"]


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies")


@pytest.fixture
def judge(criteria_set: CriteriaSet) -> JudgeVersion:
    """A judge that is certified, so that every refusal is rehearsed."""
    made = make_judge("strict")
    certify(made, criteria_set, a=30, d=30)
    return made


def with_token(*scopes: str, sets: list[CriteriaSet], name: str = "ci") -> Client:
    _, secret = create_token(name=name, scopes=scopes, criteria_sets=sets)
    return Client(headers={"Authorization": f"Bearer {secret}"})


@pytest.fixture
def ci(judge: JudgeVersion, criteria_set: CriteriaSet) -> Client:
    return with_token("gate", sets=[criteria_set])


def post(client: Client, drill: int, **report: Any) -> Any:
    return client.post(f"/api/v1/drills/{drill}", report, content_type="application/json")


@pytest.mark.parametrize(
    ("answer", "code"),
    [("uncertified", "never_calibrated"), ("expired", "expired"), ("suspended", "drift_alarm")],
)
def test_the_gate_refuses_as_it_would(ci: Client, answer: str, code: str) -> None:
    response = ci.get(GATE, {"rehearse": answer})

    body = response.json()
    assert (response.status_code, body["allow"], body["rehearsal"]) == (409, False, True)
    assert [reason["code"] for reason in body["reasons"]] == [code]
    assert body["reasons"][0]["message"].endswith(".")
    assert (response["Vera-Rehearsal"], response["Cache-Control"]) == (answer, "no-store")
    drill = Drill.objects.get(pk=body["drill"])
    assert (drill.answer, drill.token.name, drill.judge.slug, drill.stopped) == (answer, "ci", "strict", None)


@pytest.mark.parametrize("url", [GATE, CERTIFICATION])
def test_unavailable_is_a_503_in_the_shape_of_every_error(ci: Client, url: str) -> None:
    response = ci.get(url, {"rehearse": "unavailable"})

    body = response.json()
    assert (response.status_code, body["rehearsal"], body["error"]["code"]) == (503, True, "server_error")
    assert "This is a rehearsal" in body["error"]["message"]
    assert int(response["Retry-After"]) > 0
    assert "allow" not in body


def test_the_certification_is_the_resource_with_a_mark(ci: Client) -> None:
    real = ci.get(CERTIFICATION).json()

    found = {answer: ci.get(CERTIFICATION, {"rehearse": answer}) for answer in ANSWERS[:3]}

    for response in found.values():
        body = response.json()
        assert body.keys() == real.keys() | {"rehearsal", "drill"}
        assert (response.status_code, body["certified"], body["status"]) == (200, False, "uncertified")
        assert "ETag" not in response
    assert found["uncertified"].json()["kappa"] is None
    assert found["suspended"].json()["kappa"] == real["kappa"]
    assert found["expired"].json()["expires_at"] < timezone.now().isoformat()


def test_ordinary_answers_carry_no_mark(ci: Client) -> None:
    for answer in ANSWERS:
        ci.get(GATE, {"rehearse": answer})

    gate, certification = ci.get(GATE), ci.get(CERTIFICATION)
    listed = ci.get("/api/v1/certifications")

    assert gate.json() == {"allow": True}
    assert certification.json()["certified"] is True
    for response in (gate, certification, listed):
        assert b"rehears" not in response.content
        assert "Vera-Rehearsal" not in response


def test_nothing_else_can_be_rehearsed(ci: Client) -> None:
    response = ci.get(GATE, {"rehearse": "certified"})

    assert response.status_code == 422
    assert "rehearse" in response.json()["error"]["fields"]
    assert not Drill.objects.exists()


@pytest.mark.parametrize("url", [GATE, CERTIFICATION])
def test_whose_token_does_not_cover_it_rehearses_nothing(judge: JudgeVersion, url: str) -> None:
    elsewhere = make_criteria_set("elsewhere")
    stranger, wrong_scope = with_token("gate", sets=[elsewhere]), with_token("export", sets=[])
    revoked = with_token("gate", sets=[elsewhere], name="old")
    revoke_tokens(name="old")

    statuses = [
        each.get(url, {"rehearse": "expired"}).status_code for each in (stranger, wrong_scope, revoked)
    ]

    assert statuses == [404, 403, 401]
    assert Client().get(url, {"rehearse": "expired"}).status_code == 401
    assert not Drill.objects.exists()


def test_a_report_says_whether_it_stopped(ci: Client) -> None:
    drill = ci.get(GATE, {"rehearse": "expired"}).json()["drill"]

    response = post(ci, drill, stopped=True, note="Deploy 4711 was held back.")

    assert response.status_code == 200
    assert response.json() == ci.get(f"/api/v1/drills/{drill}").json()
    assert response.json() | {"asked_at": "", "reported_at": ""} == {
        "id": drill,
        "judge": "strict",
        "criteria": "replies",
        "answer": "expired",
        "asked_at": "",
        "stopped": True,
        "reported_at": "",
        "note": "Deploy 4711 was held back.",
    }


def test_a_report_is_given_once(ci: Client) -> None:
    drill = ci.get(GATE, {"rehearse": "expired"}).json()["drill"]
    first = post(ci, drill, stopped=False)

    again, other = post(ci, drill, stopped=False), post(ci, drill, stopped=True)

    assert again.json() == first.json()
    assert (other.status_code, other.json()["error"]["code"]) == (409, "conflict")
    assert Drill.objects.get().stopped is False


@pytest.mark.parametrize(
    "report", [{}, {"stopped": "perhaps"}, {"stopped": True, "note": "x" * 501}, {"stopped": None}]
)
def test_a_report_that_says_nothing_is_refused(ci: Client, report: dict[str, Any]) -> None:
    drill = ci.get(GATE, {"rehearse": "expired"}).json()["drill"]

    assert post(ci, drill, **report).status_code == 422
    assert Drill.objects.get().reported_at is None


def test_a_note_that_no_database_keeps_is_refused(ci: Client) -> None:
    drill = ci.get(GATE, {"rehearse": "expired"}).json()["drill"]

    response = post(ci, drill, stopped=True, note="a\0b")

    assert response.status_code == 422
    assert Drill.objects.get().reported_at is None


def test_a_drill_is_its_tokens_own(ci: Client, criteria_set: CriteriaSet) -> None:
    drill = ci.get(GATE, {"rehearse": "expired"}).json()["drill"]
    other = with_token("gate", sets=[criteria_set], name="other")

    assert post(other, drill, stopped=True).status_code == 404
    assert other.get(f"/api/v1/drills/{drill}").status_code == 404
    assert other.get("/api/v1/drills").json() == {"items": [], "next_cursor": None}
    assert post(with_token("export", sets=[criteria_set]), drill, stopped=True).status_code == 403
    assert Drill.objects.get().stopped is None


def test_a_token_that_lost_the_set_loses_its_drills(ci: Client, criteria_set: CriteriaSet) -> None:
    drill = ci.get(GATE, {"rehearse": "expired"}).json()["drill"]

    ApiToken.objects.get().criteria_sets.clear()

    assert post(ci, drill, stopped=True).status_code == 404
    assert ci.get("/api/v1/drills").json()["items"] == []


def test_drills_are_listed_newest_first(ci: Client) -> None:
    asked = [ci.get(GATE, {"rehearse": answer}).json()["drill"] for answer in ANSWERS]

    first = ci.get("/api/v1/drills", {"limit": 3}).json()
    rest = ci.get("/api/v1/drills", {"limit": 3, "cursor": first["next_cursor"]}).json()

    assert [each["id"] for each in first["items"] + rest["items"]] == asked[::-1]
    assert rest["next_cursor"] is None


def test_a_token_rehearses_within_bounds(ci: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drills, "MOST_AN_HOUR", 2)
    statuses = [ci.get(GATE, {"rehearse": "expired"}).status_code for _ in range(3)]
    assert statuses == [409, 409, 429]
    assert ci.get(GATE).status_code == 200

    Drill.objects.update(asked_at=timezone.now() - timedelta(hours=2))

    assert ci.get(GATE, {"rehearse": "expired"}).status_code == 409


def test_a_judge_that_was_never_calibrated_is_rehearsed_too(criteria_set: CriteriaSet) -> None:
    make_judge("strict")
    ci = with_token("gate", sets=[criteria_set])

    for answer in ANSWERS[:3]:
        body = ci.get(CERTIFICATION, {"rehearse": answer}).json()
        assert (body["certified"], body["kappa"], len(body["reasons"])) == (False, None, 1)


def test_the_documentation_names_all_of_it(client: Client) -> None:
    paths = client.get("/api/v1/openapi.json").json()["paths"]

    for path in ("/api/v1/gate/{judge}/{criteria}", "/api/v1/certifications/{judge}/{criteria}"):
        call = paths[path]["get"]
        rehearse = next(each for each in call["parameters"] if each["name"] == "rehearse")
        assert set(ANSWERS) <= set(re.findall(r"\w+", str(rehearse["schema"])))
        assert {"429", "503"} <= call["responses"].keys()
    assert paths["/api/v1/drills/{drill}"].keys() == {"get", "post"}
    assert paths["/api/v1/drills"].keys() == {"get"}


def test_asking_for_a_drill_is_asking(ci: Client) -> None:
    ci.get(GATE, {"rehearse": "unavailable"})

    assert GateReader.objects.get().judge.slug == "strict"


@pytest.mark.parametrize("url", [GATE, CERTIFICATION, f"{CERTIFICATION}/signed"])
@pytest.mark.parametrize("name", ["Rehearse", "rehearse[]", "reherse"])
def test_a_misspelt_rehearsal_is_not_answered_for_real(ci: Client, url: str, name: str) -> None:
    response = ci.get(url, {name: "expired"})

    assert response.status_code == 422
    assert response.json()["error"]["fields"][name].startswith("There is no such parameter here, but: ")


@pytest.mark.parametrize("stopped", ["yes", "false", 1])
def test_only_true_and_false_say_whether_it_stopped(ci: Client, stopped: object) -> None:
    drill = ci.get(GATE, {"rehearse": "expired"}).json()["drill"]

    assert post(ci, drill, stopped=stopped).status_code == 422

    assert Drill.objects.get(pk=drill).stopped is None
