"""The kinds of exports: labels one by one, the settled rows alone, and everything about a row."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from labeling.models import AuditEvent, CriteriaSet, Exposure, Label, Skip, Submission
from labeling.services.exports import KINDS, export_golden, export_row
from labeling.services.labels import correct_label
from tests.factories import live, make_candidate, make_criteria_set, make_label, make_ruling, make_user
from tests.labeling.importing import by, import_rows, said
from tests.labeling.test_import_command import run

pytestmark = pytest.mark.django_db

type Fields = dict[str, Any]


@pytest.fixture
def notes() -> CriteriaSet:
    return make_criteria_set("notes")


def taken_out(criteria_set: CriteriaSet, what: str, format: str = "jsonl", actor: Any = None) -> str:
    lines: list[str] = []
    export_golden(version=live(criteria_set), format=format, write=lines.append, actor=actor, what=what)
    return "".join(lines)


def objects(text: str) -> list[Fields]:
    return [json.loads(line) for line in text.splitlines()]


def test_labels_are_a_line_each_with_who_when_and_how_long(notes: CriteriaSet) -> None:
    import_rows("notes", said("a", [by("a1", "pass", scores={"meets_criteria": 1})], id="n1"))
    Label.objects.update(seconds=12, idle_seconds=3)

    (line,) = objects(taken_out(notes, "labels"))

    assert (line["id"], line["labeler"], line["verdict"]) == ("n1", "a1@notes", "pass")
    assert (line["marks"], line["seconds"], line["idle_seconds"]) == ({"meets_criteria": 1}, 12, 3)
    assert line["created_at"] == Label.objects.get().created_at.isoformat()


def test_labels_as_a_table_are_no_formulas_and_no_corrected_ones(notes: CriteriaSet) -> None:
    label = make_label(make_candidate(notes, "=1+1"), make_user("ada"), "pass")
    correct_label(label=label, verdict="fail", marks={}, comment="@x", now=timezone.now())

    (line,) = csv.DictReader(io.StringIO(taken_out(notes, "labels", "csv"), newline=""))

    assert (line["candidate"], line["comment"], line["verdict"]) == ("'=1+1", "'@x", "fail")
    assert (line["seconds"], line["blind"], line["marks"]) == ("", "yes", "")


def test_the_golden_set_is_the_settled_rows_with_their_verdict(notes: CriteriaSet) -> None:
    for name, verdicts in (("settled", "pass pass fail"), ("tied", "pass fail"), ("untouched", "")):
        candidate = make_candidate(notes, name)
        for verdict in verdicts.split():
            make_label(candidate, make_user(), verdict)
    make_ruling(make_candidate(notes, "ruled"), "fail")

    rows = objects(taken_out(notes, "golden"))

    assert [(row["candidate"], row["human"][0]["verdict"]) for row in rows] == [
        ("settled", "pass"),
        ("ruled", "fail"),
    ]
    assert [row["human"] for row in objects(taken_out(notes, "golden", "vera"))] == ["PASS", "FAIL"]


def test_everything_has_what_was_corrected_skipped_ruled_and_shown(notes: CriteriaSet) -> None:
    import_rows("notes", said("a", [by("a1", "pass")], id="n1", probability=0.5))
    first = Label.objects.get()
    correct_label(label=first, verdict="fail", marks={}, comment="No.", now=timezone.now())
    row, lead = first.candidate, make_user("lea", lead_of=notes)
    Skip.objects.create(candidate=row, version=live(notes), labeler=lead, reason="other", comment="Tired.")
    make_ruling(row, "fail")

    export_golden(version=live(notes), format="jsonl", write=str, actor=lead)
    (known,) = objects(taken_out(notes, "everything"))

    assert [(each["verdict"], bool(each["superseded_at"])) for each in known["labels"]] == [
        ("pass", True),
        ("fail", False),
    ]
    assert known["labels"][1]["supersedes"] == known["labels"][0]["label"]
    assert (known["skips"][0]["comment"], known["rulings"][0]["verdict"]) == ("Tired.", "fail")
    assert (known["submissions"][0]["id"], known["draws"][0]["probability"]) == ("n1", 0.5)
    assert [(each["user"], each["what"]) for each in known["exposures"]] == [("lea", "labels")]


@pytest.mark.parametrize("what", KINDS)
def test_questions_do_not_grow_with_the_rows(notes: CriteriaSet, what: str) -> None:
    counts = []
    for _ in range(2):
        for _ in range(5):
            make_label(make_candidate(notes), make_user(), "pass")
        with CaptureQueriesContext(
            connection,
        ) as asked:
            taken_out(notes, what)
        counts.append(len(asked))

    assert counts[0] == counts[1]


def test_who_takes_out_everything_has_seen_what_was_withdrawn(notes: CriteriaSet) -> None:
    label = make_label(make_candidate(notes), make_user(), "pass")
    Label.objects.update(withdrawn_at=timezone.now())
    lead = make_user(lead_of=notes)

    taken_out(notes, "rows", actor=lead)
    assert not Exposure.objects.exists()
    taken_out(notes, "everything", actor=lead)
    assert Exposure.objects.get().candidate == label.candidate


def test_a_row_is_a_download_of_its_own_that_is_recorded(client: Client, notes: CriteriaSet) -> None:
    label = make_label(make_candidate(notes, "Ship."), make_user("ada"), "pass")
    make_label(make_candidate(notes, "Other."), make_user("eve"), "pass")
    client.force_login(make_user("lea", lead_of=notes))

    response = client.get(f"/sets/notes/golden/{label.candidate_id}/export/")

    assert f"notes-row-{label.candidate_id}.json" in response["Content-Disposition"]
    assert [each["labeler"] for each in response.json()["labels"]] == ["ada"]
    assert "Other." not in response.text
    assert [each.candidate for each in Exposure.objects.all()] == [label.candidate]
    assert AuditEvent.objects.get().details["what"] == "everything"


@pytest.mark.parametrize(("of", "status"), [("notes", 403), ("other", 404)])
def test_a_row_is_for_leads_only(client: Client, notes: CriteriaSet, of: str, status: int) -> None:
    row = make_candidate(notes)
    client.force_login(make_user(labels=notes if of == "notes" else make_criteria_set("other")))

    assert client.get(f"/sets/notes/golden/{row.pk}/export/").status_code == status
    assert not AuditEvent.objects.exists()


def test_a_row_of_another_set_is_not_found(client: Client, notes: CriteriaSet) -> None:
    row = make_candidate(make_criteria_set("other"))
    client.force_login(make_user(lead_of=notes))

    assert client.get(f"/sets/notes/golden/{row.pk}/export/").status_code == 404


@pytest.mark.parametrize(
    ("what", "format", "name"),
    [
        ("golden", "tsv", "notes-1-golden.tsv"),
        ("labels", "csv", "notes-1-labels.csv"),
        ("everything", "jsonl", "notes-1-everything.jsonl"),
        ("rows", "label_studio", "notes-1.label-studio.json"),
    ],
)
def test_each_kind_is_downloaded_by_its_name(
    client: Client, notes: CriteriaSet, what: str, format: str, name: str
) -> None:
    make_label(make_candidate(notes, "Ship."), make_user(), "pass")
    client.force_login(make_user(lead_of=notes))

    response = client.post("/sets/notes/export/", {"what": what, "format": format})

    assert response["Content-Disposition"] == f'attachment; filename="{name}"'
    assert "Ship." in response.getvalue().decode()


def test_what_fits_no_format_is_told_beside_it(client: Client, notes: CriteriaSet) -> None:
    client.force_login(make_user(lead_of=notes))

    response = client.post("/sets/notes/export/", {"what": "labels", "format": "label_studio"})

    assert response.status_code == 422
    assert "This can be written as jsonl, csv or tsv only." in response.text


def test_the_command_takes_out_each_kind(notes: CriteriaSet, capsys: pytest.CaptureFixture[str]) -> None:
    make_label(make_candidate(notes), make_user("ada"), "pass")

    run("export_golden", "--criteria-set", "notes", "--what", "labels")
    assert objects(capsys.readouterr().out)[0]["labeler"] == "ada"
    run("export_golden", "--criteria-set", "notes", "--what", "everything", "--format", "csv", expect=2)


def test_the_command_maps_columns(tmp_path: Path, notes: CriteriaSet) -> None:
    table = tmp_path / "rows.csv"
    table.write_text("output,label,a=b\nHi.,good,1\n")
    mapped = ("--map", "candidate=output", "--map", "human=label", "--map", "meta=a=b")

    run("import_golden", table, "--criteria-set", "notes", *mapped)

    assert Label.objects.get().verdict == "pass"
    assert Submission.objects.get().meta == {"a=b": "1"}


def test_people_of_one_row_whose_lines_stand_apart_are_one_arrival(
    tmp_path: Path, notes: CriteriaSet
) -> None:
    table = tmp_path / "rows.csv"
    table.write_text("id,candidate,annotator,verdict\n1,a,a1,pass\n2,b,a1,pass\n1,a,a2,fail\n2,b,a2,pass\n")

    run("import_golden", table, "--criteria-set", "notes")
    run("import_golden", table, "--criteria-set", "notes")

    assert (Submission.objects.count(), Label.objects.count()) == (2, 4)


def test_labels_of_a_table_that_names_nobody_are_whose_one_says(tmp_path: Path, notes: CriteriaSet) -> None:
    table = tmp_path / "rows.csv"
    table.write_text("candidate,verdict\na,pass\n")
    make_user("ada")

    run("import_golden", table, "--criteria-set", "notes", "--labeler", "ada")

    assert Label.objects.get().labeler.username == "ada"


@pytest.mark.parametrize("pair", ["output", "=output", "candidate="])
def test_a_pair_that_maps_nothing_is_refused(tmp_path: Path, notes: CriteriaSet, pair: str) -> None:
    table = tmp_path / "rows.csv"
    table.write_text("output\nHi.\n")

    run("import_golden", table, "--criteria-set", "notes", "--map", pair, expect=2)


def test_a_row_that_was_seen_is_noted_for_every_version(notes: CriteriaSet) -> None:
    label = make_label(make_candidate(notes), make_user(), "pass")
    lead = make_user(lead_of=notes)

    export_row(candidate=label.candidate, version=live(notes), actor=lead)

    assert [(seen.user, seen.version) for seen in Exposure.objects.all()] == [(lead, live(notes))]
