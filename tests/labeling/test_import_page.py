"""The pages for import and export: for leads only, files as text, errors as sentences."""

import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from labeling.models import AuditEvent, Candidate, CriteriaSet, ImportBatch
from tests.factories import live, make_candidate, make_criteria_set, make_label, make_user
from tests.labeling.importing import truths

pytestmark = pytest.mark.django_db

GOOD = b'{"candidate": "a", "human": "PASS"}\n'
BAD = GOOD + b'{"candidate": "<script>", "human": "<b>MAYBE</b>"}\n'


@pytest.fixture
def notes(client: Client) -> CriteriaSet:
    """A criteria set whose lead is logged in."""
    criteria_set = make_criteria_set("notes")
    client.force_login(make_user("lea", lead_of=criteria_set))
    return criteria_set


def upload(client: Client, content: bytes, name: str = "rows.jsonl", **more: str) -> Any:
    fields = {"file": SimpleUploadedFile(name, content), "format": "auto", "split": "certify"} | more
    return client.post("/sets/notes/import/", fields)


def test_an_upload_is_imported_and_its_outcome_has_a_page(client: Client, notes: CriteriaSet) -> None:
    response = upload(client, GOOD, split="tune")

    batch = ImportBatch.objects.get()
    assert (response.status_code, response["Location"]) == (302, f"/sets/notes/import/{batch.pk}/")
    assert "1 new candidate" in client.get(response["Location"]).text
    assert Candidate.objects.get().split == "tune"


def test_refused_rows_are_a_table_of_text(client: Client, notes: CriteriaSet) -> None:
    response = upload(client, BAD, name="<img src=x onerror=alert(1)>.jsonl")

    assert response.status_code == 422
    assert "&lt;b&gt;MAYBE" in response.text
    assert "&lt;img src=x" in response.text
    assert "<b>" not in response.text
    assert "<img" not in response.text
    assert not Candidate.objects.exists()


def test_keep_good_keeps_the_rest(client: Client, notes: CriteriaSet) -> None:
    response = upload(client, BAD, keep_good="on")

    assert "&lt;b&gt;MAYBE" in client.get(response["Location"]).text
    assert truths(notes) == {"a": "pass"}


def test_a_check_says_what_would_come_and_keeps_nothing(client: Client, notes: CriteriaSet) -> None:
    response = upload(client, GOOD, dry_run="on")

    assert (response.status_code, Candidate.objects.exists()) == (200, False)
    assert "1 new label" in response.text


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "The file is empty"),
        (b" \n", "The file is empty"),
        (b'{"candidate_a": "x", "human": []}', "pairwise"),
        ('{"candidate": "a"}'.encode("utf-32"), "UTF-32"),
    ],
)
def test_an_unreadable_file_is_one_sentence(
    client: Client, notes: CriteriaSet, content: bytes, says: str
) -> None:
    response = upload(client, content)

    assert (response.status_code, says in response.text) == (422, True)


def test_a_form_without_a_file_says_so(client: Client, notes: CriteriaSet) -> None:
    assert client.post("/sets/notes/import/", {"format": "auto"}).status_code == 422


@pytest.mark.parametrize(("role", "status"), [("labeler", 403), ("stranger", 404)])
@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize("page", ["import/", "import/{batch}/", "export/"])
def test_for_leads_only(
    client: Client, notes: CriteriaSet, role: str, status: int, method: str, page: str
) -> None:
    batch = ImportBatch.objects.create(criteria_set=notes, version=live(notes), file_name="x", format="vera")
    other = notes if role == "labeler" else make_criteria_set("other")
    client.force_login(make_user(labels=other))

    response = getattr(client, method)("/sets/notes/" + page.format(batch=batch.pk), {"format": "jsonl"})

    assert response.status_code in (
        {status, 405} if page == "import/{batch}/" and method == "post" else {status}
    )
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
