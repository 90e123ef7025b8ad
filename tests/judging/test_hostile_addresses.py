"""Addresses that somebody made up: never an error of ours, whichever database looks them up."""

from itertools import zip_longest

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from judging.services.tokens import create_token
from tests.factories import make_criteria_set, make_judge, make_panel, make_user

pytestmark = pytest.mark.django_db

NUMBERS = ["0", "99999999999999999999", "1" + "0" * 30, "9" * 5000]
WORDS = ["%00", "a%00b", "%ed%a0%80", "x" * 3000, "..%2f..%2fetc"]


def routes(resolver: URLResolver, before: str = "") -> list[str]:
    """Every address of the site that has something to fill in, admin's apart."""
    found = []
    for entry in resolver.url_patterns:
        route = before + str(entry.pattern)
        if isinstance(entry, URLResolver):
            found += [] if route == "admin/" else routes(entry, route)
        elif isinstance(entry, URLPattern) and "<" in route:
            found.append(route)
    return found


def filled(route: str, number: str, word: str) -> str:
    """The address with `number` and `word` in every place; where the set or judge comes first, real ones."""
    parts = {"<int:": number, "<slug:": word, "<": word}
    pieces = []
    for piece in route.split("/"):
        kind = next((kind for kind in parts if piece.startswith(kind)), None)
        known = {"<slug:slug>": "mine"}.get(piece) if "<int:" in route else None
        pieces.append(known or (parts[kind] + piece.partition(">")[2] if kind else piece))
    return "/" + "/".join(pieces)


@pytest.mark.parametrize("route", routes(get_resolver()))
def test_nothing_is_found_and_nothing_breaks(client: Client, route: str) -> None:
    client.force_login(make_user(lead_of=make_criteria_set("mine")))
    _, secret = create_token(name="any", scopes=["admin"])
    token = {"Authorization": f"Bearer {secret}"}

    for number, word in zip_longest(NUMBERS, WORDS, fillvalue="0"):
        address = filled(route, number, word)
        for answer in (client.get(address, headers=token), client.post(address, headers=token)):
            assert answer.status_code in {400, 404, 405}, address


def test_a_bad_address_has_a_page_of_ours(client: Client) -> None:
    for address in ("/judges/a%00b/", "/judges/?q=%00"):
        answer = client.get(address)
        assert answer.status_code == 400
        assert "<h1>Not understood</h1>" in answer.text


@pytest.mark.parametrize("name", ["judge", "criteria", "cursor", "version"])
def test_a_nul_in_a_question_is_a_bad_one(name: str) -> None:
    _, secret = create_token(name="any", scopes=["gate"])

    answer = Client(headers={"Authorization": f"Bearer {secret}"}).get(f"/api/v1/certifications?{name}=a%00")

    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "bad_request"


def test_a_form_that_is_not_in_utf_8_is_refused(client: Client) -> None:
    client.force_login(make_user(lead_of=make_criteria_set("mine")))
    form = b'--x\r\nContent-Disposition: form-data; name="family"\r\n\r\n\\ud800\r\n--x--\r\n'

    kind = "multipart/form-data; boundary=x; charset=raw_unicode_escape"
    answer = client.generic("POST", "/judges/add/model/", form, content_type=kind)

    assert answer.status_code == 400


@pytest.mark.parametrize("number", NUMBERS)
def test_ids_in_forms_that_no_row_has(client: Client, number: str) -> None:
    client.force_login(make_user(lead_of=make_criteria_set("mine")))
    make_panel([make_judge("one"), make_judge("two")], "both")
    fields = (
        "members",
        "criteria-TOTAL_FORMS",
        "judge_version",
        "criteria_version",
        "candidate",
        "version",
        "seen",
    )
    form = dict.fromkeys(fields, number) | {"slug": "p", "on_split": "majority", "undo": "1", "more": "1"}

    for address in (
        "/judges/add/panel/",
        "/judges/both/new-version/",
        "/runs/new/",
        "/sets/mine/label/",
        "/sets/mine/label/draft/",
        "/sets/mine/criteria/new/",
    ):
        assert client.post(address, form).status_code in {200, 400, 404, 422}, address


@pytest.mark.parametrize("route", [route for route in routes(get_resolver()) if not route.startswith("api/")])
def test_nothing_is_accepted_without_the_forms_token(route: str) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(make_user(lead_of=make_criteria_set("mine")))

    assert client.post(filled(route, "1", "mine")).status_code == 403
