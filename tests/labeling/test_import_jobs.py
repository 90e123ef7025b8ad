"""Files on their way in: sent, looked at, checked and imported by a worker, discarded, told about."""

import errno
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from labeling.models import CriteriaSet, ImportBatch, ImportJob
from labeling.services.import_files import folder, path_of
from labeling.services.import_work import work_on_jobs
from tests.factories import make_criteria_set, make_user
from tests.labeling.importing import truths

pytestmark = pytest.mark.django_db

GOOD = b'{"candidate": "a", "human": "PASS"}\n'
BAD = GOOD + b'{"candidate": "<script>", "human": "<b>MAYBE</b>"}\n'
TABLE = b"question,reply,grade\nWhy?,Because.,pass\nWhen?,Friday.,perhaps\n"


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, settings: Any) -> None:
    """Files on their way of this test alone."""
    settings.VERA_VAR = tmp_path


@pytest.fixture
def notes(client: Client) -> CriteriaSet:
    """A criteria set whose lead is logged in."""
    criteria_set = make_criteria_set("notes")
    client.force_login(make_user("lea", lead_of=criteria_set))
    return criteria_set


def upload(client: Client, content: bytes, name: str = "rows.jsonl") -> str:
    """The address of the page of the file that was sent."""
    response = client.post("/sets/notes/import/", {"file": SimpleUploadedFile(name, content)})
    assert response.status_code == 302, response.text
    return str(response["Location"])


def order(client: Client, page: str, **how: str) -> Any:
    """Have the file imported, or checked, by a worker; the page after that."""
    response = client.post(page, {"format": "vera", "split": "certify"} | how)
    if response.status_code != 302:
        return response
    work_on_jobs()
    return client.get(response["Location"], follow=True)


def test_a_file_is_sent_then_imported_by_a_worker(client: Client, notes: CriteriaSet) -> None:
    page = upload(client, GOOD)
    shown = client.get(page).text

    done = order(client, page, split="tune")

    assert "Vera, short" in shown
    assert truths(notes) == {"a": "pass"}
    job, batch = ImportJob.objects.get(), ImportBatch.objects.get()
    assert (job.state, job.batch, done.redirect_chain) == (
        "done",
        batch,
        [(f"/sets/notes/import/{batch.pk}/", 302)],
    )
    assert not path_of(job.stored_as).exists()


def test_a_check_says_what_would_come_keeps_nothing_and_can_be_followed(
    client: Client, notes: CriteriaSet
) -> None:
    page = upload(client, GOOD)

    checked = order(client, page, check="on")
    client.post(page + "again/")
    work_on_jobs()

    assert "This was a check: nothing was kept." in checked.text
    assert "1 new label" in checked.text
    assert truths(notes) == {"a": "pass"}


def test_the_good_rows_come_in_without_sending_again(client: Client, notes: CriteriaSet) -> None:
    page = upload(client, BAD, name="<img src=x onerror=alert(1)>.jsonl")
    refused = order(client, page)
    before = truths(notes)

    client.post(page + "again/", {"keep_good": "on"})
    work_on_jobs()

    assert "Import the 1 good row<" in refused.text
    assert "&lt;b&gt;MAYBE" in refused.text
    assert "<img" not in refused.text
    assert (before, truths(notes)) == ({}, {"a": "pass"})


def test_what_came_in_says_what_was_left_out_and_where_to_go_on(client: Client, notes: CriteriaSet) -> None:
    page = upload(client, BAD + b'{"candidate": " "}\n')

    done = order(client, page, keep_good="on").text

    assert "1 refused row was left out." in done
    assert "1 row whose output is empty" in done.replace("\N{NO-BREAK SPACE}", " ")
    assert "1 row waits to be labelled" in done
    assert 'class="button primary" href="/sets/notes/label/"' in done


def test_every_refused_row_can_be_downloaded_and_corrected(client: Client, notes: CriteriaSet) -> None:
    page = upload(client, GOOD + b'=1+1\n{"candidate": "b", "human": "MAYBE"}\n' * 150)
    shown = order(client, page, keep_good="on").text

    table = client.get(page + "refused.csv").getvalue().decode().splitlines()
    lines = client.get(page + "refused.jsonl").getvalue().decode().splitlines()
    rows = client.get(page + "rows").getvalue().decode().splitlines()

    assert "the first 200 of 300" in shown
    assert (len(table), len(lines), len(rows)) == (301, 300, 300)
    assert table[2].startswith("3,,human,")
    assert json.loads(lines[0])["line"] == 2
    assert rows[:2] == ["=1+1", '{"candidate": "b", "human": "MAYBE"}']


def test_the_columns_of_a_table_are_mapped(client: Client, notes: CriteriaSet) -> None:
    page = upload(client, TABLE, name="rows.csv")
    shown = client.get(page).text
    fields = {"column-0": "request", "column-1": "candidate", "column-2": "human"}

    order(client, page, format="csv", keep_good="on", **fields)

    assert "Because." in shown
    assert truths(notes) == {"Because.": "pass"}
    assert ImportJob.objects.get().mapping == {"question": "request", "reply": "candidate", "grade": "human"}
    rows = client.get(page + "rows").getvalue().decode()
    assert rows.splitlines() == ["question,reply,grade", "When?,Friday.,perhaps"]


def test_a_mapping_without_a_candidate_is_refused_at_once(client: Client, notes: CriteriaSet) -> None:
    page = upload(client, TABLE, name="rows.csv")

    response = order(client, page, format="csv", **{"column-0": "request"})

    assert response.status_code == 422
    assert "the text to judge" in response.text


def test_a_file_in_an_unreadable_format_is_one_sentence_and_another_can_be_chosen(
    client: Client, notes: CriteriaSet
) -> None:
    page = upload(client, TABLE, name="rows.csv")

    assert "Because." not in client.get(page + "?format=label_studio").text
    assert "Because." in client.get(page + "?format=csv").text


@pytest.mark.parametrize("content", [b"", b"\0" * 9])
def test_what_is_no_file_to_import_is_one_sentence(
    client: Client, notes: CriteriaSet, content: bytes
) -> None:
    file = SimpleUploadedFile("rows.jsonl", content)

    response = client.post("/sets/notes/import/", {"file": file}, follow=True)

    assert ("The file is empty" in response.text) == (not content)
    assert response.status_code == (200 if content else 422)


def test_a_disk_that_is_full_keeps_nothing(
    client: Client, notes: CriteriaSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("labeling.services.import_files._KEPT_FREE", 1 << 62)

    response = client.post("/sets/notes/import/", {"file": SimpleUploadedFile("rows.jsonl", GOOD)})

    assert (response.status_code, ImportJob.objects.count()) == (422, 0)
    assert "There is no room for this file" in response.text


def test_a_disk_that_fills_up_takes_back_what_was_begun(
    client: Client, notes: CriteriaSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    def half(file: Any, piece: bytes) -> None:
        file.write(piece[:5])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("labeling.services.import_files._write", half)

    sent = client.post("/sets/notes/import/", {"file": SimpleUploadedFile("rows.jsonl", GOOD)})
    place = client.post("/sets/notes/import/begin/", {"name": "b", "size": "99"}).json()
    piece = send(client, place["piece"], 0, GOOD)

    assert ("There is no room" in sent.text, "There is no room" in piece.json()["problem"]) == (True, True)
    assert [path.stat().st_size for path in folder().iterdir()] == [0]  # where the second one would go on


def test_pieces_go_on_where_they_broke_off(client: Client, notes: CriteriaSet) -> None:
    about = {"name": "rows.jsonl", "size": str(len(GOOD)), "changed_at": "1700000000"}
    place = client.post("/sets/notes/import/begin/", about).json()
    send(client, place["piece"], 0, GOOD[:10])

    again = client.post("/sets/notes/import/begin/", about).json()
    twice = send(client, place["piece"], 0, GOOD[:10])
    last = send(client, place["piece"], 10, GOOD[10:])

    assert again == place | {"arrived": 10}
    assert (twice.status_code, twice.json()) == (409, {"arrived": 10})
    assert last.json() == {"arrived": len(GOOD)}
    assert "Vera, short" in client.get(place["page"]).text


SPLIT = "half of a character, \\ud83d, and a NUL, \\u0000"
ANSWER = '{"result": [{"from_name": "\\ud83d", "type": "choices", "value": {"choices": ["good"]}}]}'
BROKEN = {
    "flat": f'{{"response": "{SPLIT}", "good": "pass", "{SPLIT}": 1}}\n'.encode(),
    "csv": "response,good\n".encode("utf-16") + "a\ud83d,pass\n".encode("utf-16-le", "surrogatepass"),
    "tsv": "response\tgo\ud83dod\na\tpass\n".encode("utf-16", "surrogatepass"),
    "label_studio": f'[{{"data": {{"candidate": "a", "{SPLIT}": 1}}, "annotations": [{ANSWER}]}}]'.encode(),
    "vera": f'{{"candidate": "a", "{SPLIT}": "{SPLIT}"}}\n'.encode(),
}


@pytest.mark.parametrize("form", BROKEN)
def test_what_no_database_or_page_can_hold_is_refused_and_the_page_stays(
    client: Client, notes: CriteriaSet, form: str
) -> None:
    page = upload(client, BROKEN[form])

    shown = client.get(f"{page}?format={form}")
    sent = client.post(page, {"format": form, "split": "certify", "column-0": "candidate"})
    work_on_jobs()

    assert shown.status_code == 200
    assert sent.status_code in (302, 422)
    assert "half of a character" in client.get(page).text + sent.text
    assert truths(notes) == {}


def test_refused_rows_of_a_reading_before_are_gone(client: Client, notes: CriteriaSet) -> None:
    page = upload(client, BAD)
    order(client, page)

    client.post(page, {"format": "vera", "split": "certify"})  # and no worker has come yet

    assert client.get(page + "refused.csv").status_code == 404


@pytest.mark.parametrize("comes_back", ["begin", "piece"])
def test_a_file_whose_end_came_just_before_a_crash_goes_on(
    client: Client, notes: CriteriaSet, comes_back: str
) -> None:
    about = {"name": "rows.jsonl", "size": str(len(GOOD)), "changed_at": "1700000000"}
    place = client.post("/sets/notes/import/begin/", about).json()
    path_of(ImportJob.objects.get().stored_as).write_bytes(GOOD)

    if comes_back == "begin":
        assert client.post("/sets/notes/import/begin/", about).json()["arrived"] == len(GOOD)
    else:
        assert send(client, place["piece"], 0, GOOD).json() == {"arrived": len(GOOD)}

    order(client, place["page"])
    assert truths(notes) == {"a": "pass"}


def test_a_file_that_is_half_sent_is_not_called_read(client: Client, notes: CriteriaSet) -> None:
    place = client.post("/sets/notes/import/begin/", {"name": "rows.jsonl", "size": "99"}).json()
    send(client, place["piece"], 0, GOOD)

    response = client.post(place["page"] + "again/", follow=True)

    assert "Not all of the file has arrived. Choose it again" in response.text
    assert ImportJob.objects.get().state == "uploaded"


@pytest.mark.parametrize(("size", "says"), [(0, "The file is empty"), (2 << 30, "larger than 1 GB")])
def test_what_is_too_small_or_large_is_told_before_it_is_sent(
    client: Client, notes: CriteriaSet, size: int, says: str
) -> None:
    response = client.post("/sets/notes/import/begin/", {"name": "rows.jsonl", "size": str(size)})

    assert (response.status_code, ImportJob.objects.count()) == (422, 0)
    assert says in response.json()["problem"]


def test_a_time_of_change_that_is_none_is_not_kept(client: Client, notes: CriteriaSet) -> None:
    client.post("/sets/notes/import/begin/", {"name": "a", "size": "7", "changed_at": "1\0"})

    assert ImportJob.objects.get().changed_at == ""


@pytest.mark.parametrize("changed", [{"name": "b.jsonl"}, {"size": "7"}, {"changed_at": "2"}])
def test_another_file_begins_anew(client: Client, notes: CriteriaSet, changed: dict[str, str]) -> None:
    about = {"name": "rows.jsonl", "size": "40", "changed_at": "1"}
    place = client.post("/sets/notes/import/begin/", about).json()

    other = client.post("/sets/notes/import/begin/", about | changed).json()

    assert other["page"] != place["page"]


def send(client: Client, address: str, offset: int, piece: bytes) -> Any:
    kind = "application/octet-stream"
    return client.post(f"{address}?offset={offset}", piece, content_type=kind)


def test_a_discarded_file_is_gone(client: Client, notes: CriteriaSet) -> None:
    page = upload(client, GOOD)
    stored = path_of(ImportJob.objects.get().stored_as)

    response = client.post(page + "discard/", follow=True)

    assert "was discarded" in response.text
    assert (ImportJob.objects.count(), stored.exists()) == (0, False)
    assert client.get(page).status_code == 404


def test_a_file_of_another_set_is_not_found(client: Client, notes: CriteriaSet) -> None:
    page = upload(client, GOOD)
    other = make_criteria_set("other")
    client.force_login(make_user("olga", lead_of=other))

    for ending in ("", "refused.csv", "rows"):
        assert client.get(page.replace("notes", "other") + ending).status_code == 404
        assert client.get(page + ending).status_code == 404
