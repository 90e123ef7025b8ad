"""The pages for import and export: for leads only, files as text, errors as sentences."""

import re

import pytest
from django.test import Client

from labeling.models import AuditEvent, CriteriaSet, ImportBatch
from tests.factories import live, make_candidate, make_criteria_set, make_label, make_user

pytestmark = pytest.mark.django_db
ONE_METHOD = {("import/{batch}/", "post"), ("import/begin/", "get")}


@pytest.fixture
def notes(client: Client) -> CriteriaSet:
    """A criteria set whose lead is logged in."""
    criteria_set = make_criteria_set("notes")
    client.force_login(make_user("lea", lead_of=criteria_set))
    return criteria_set


def test_a_form_without_a_file_says_so(client: Client, notes: CriteriaSet) -> None:
    response = client.post("/sets/notes/import/")

    assert (response.status_code, "No file was chosen" in response.text) == (422, True)


@pytest.mark.parametrize(("role", "status"), [("labeler", 403), ("stranger", 404)])
@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize("page", ["import/", "import/begin/", "import/{batch}/", "export/"])
def test_for_leads_only(
    client: Client, notes: CriteriaSet, role: str, status: int, method: str, page: str
) -> None:
    batch = ImportBatch.objects.create(criteria_set=notes, version=live(notes), file_name="x", format="vera")
    other = notes if role == "labeler" else make_criteria_set("other")
    client.force_login(make_user(labels=other))

    response = getattr(client, method)("/sets/notes/" + page.format(batch=batch.pk), {"format": "jsonl"})

    assert response.status_code in ({status, 405} if (page, method) in ONE_METHOD else {status})
    assert not AuditEvent.objects.exists()


def test_a_batch_of_another_set_is_not_found(client: Client, notes: CriteriaSet) -> None:
    other = make_criteria_set("other")
    batch = ImportBatch.objects.create(criteria_set=other, version=live(other), file_name="x", format="vera")

    assert client.get(f"/sets/notes/import/{batch.pk}/").status_code == 404


@pytest.mark.parametrize(
    ("format", "name"),
    [("jsonl", "notes-1.jsonl"), ("vera", "notes-1.vera.jsonl"), ("csv", "notes-1.csv")],
)
def test_a_download_is_recorded(client: Client, notes: CriteriaSet, format: str, name: str) -> None:
    make_label(make_candidate(notes, "Ship Friday."), make_user("ada"), "pass")

    response = client.post("/sets/notes/export/", {"format": format})

    assert response["Content-Disposition"] == f'attachment; filename="{name}"'
    assert "Ship Friday." in response.getvalue().decode()
    event = AuditEvent.objects.get()
    assert (event.action, event.subject, event.details["rows"]) == ("export", "notes@1", 1)


def test_the_export_page_warns_of_the_answer_key(client: Client, notes: CriteriaSet) -> None:
    shown = client.get("/sets/notes/export/").text
    assert "the answer key" in shown
    assert re.findall(r'aria-current="page">([A-Z]\w+)</a>', shown)[-1] == "Export"
    assert client.post("/sets/notes/export/", {"format": "xml"}).status_code == 422
