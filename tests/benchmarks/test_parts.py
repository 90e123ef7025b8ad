"""The other benchmarks at tiny sizes: what they measure is what they say."""

import json
import sqlite3
from pathlib import Path

import pytest
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.test import Client
from ninja.errors import HttpError
from pytest_django.fixtures import Settings

from judging.domain.precheck import Case, Layer1, run_precheck
from judging.models import Certificate, Run
from labeling.models import Candidate, Label
from tests.benchmarks.certify_one import certify
from tests.benchmarks.imports import write_rows
from tests.benchmarks.layer1 import seconds_for
from tests.benchmarks.load_texts import insert_into_sqlite
from tests.benchmarks.next_rows import Desk, fill
from tests.benchmarks.processes import cpu_seconds, memory
from tests.benchmarks.programs import program
from tests.benchmarks.seed_verdicts import seed
from tests.benchmarks.serving import PATHS
from tests.benchmarks.texts import KINDS
from tests.factories import make_criteria_set


@pytest.mark.parametrize("kind", KINDS)
def test_layer_1_has_to_read_every_text_to_its_end(kind: str) -> None:
    text = KINDS[kind](2000, 1)

    assert 2000 <= len(text) < 2200
    assert text != KINDS[kind](2000, 2)
    assert run_precheck(Case(text)).verdict == Layer1.ABSTAIN
    assert seconds_for([text]) > 0


@pytest.mark.django_db
def test_the_comparable_view_tells_the_same_certificate(settings: Settings) -> None:
    settings.ROOT_URLCONF = "tests.benchmarks.serving_urls"
    client = Client(headers={"Authorization": f"Bearer {certify()}"})

    ours, comparable = (client.get(PATHS[name]).json() for name in ("certification", "comparable"))

    same = ("status", "judge", "fingerprint", "criteria", "kappa", "n", "reasons")
    assert [ours[name] for name in same] == [comparable[name] for name in same]
    assert ours["certified"] is True
    assert Client().get(PATHS["empty"]).content == b""
    with pytest.raises(HttpError, match="Send an API token"):
        Client().get(PATHS["comparable"])


@pytest.mark.django_db
def test_an_import_takes_all_rows_and_a_plain_load_the_same_texts(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    write_rows(path, 5)

    call_command("import_golden", path, "--criteria-set", "bench", "--create")
    insert_into_sqlite(path, tmp_path / "plain.sqlite3")

    with sqlite3.connect(tmp_path / "plain.sqlite3") as plain:
        loaded = {output for (output,) in plain.execute("SELECT output FROM plain_texts")}
    plain.close()
    assert loaded == set(Candidate.objects.values_list("output", flat=True))
    assert len(loaded) == 5


@pytest.mark.django_db
def test_the_queue_goes_on_with_every_row_that_is_fetched() -> None:
    criteria_set = make_criteria_set("replies")
    fill(criteria_set, 3)
    desk = Desk(criteria_set)

    taken = [desk.next(), desk.page(), desk.select()]

    assert min(taken) > 0
    assert Label.objects.count() == 2


@pytest.mark.django_db
def test_seeded_verdicts_are_as_many_as_wanted_and_certify() -> None:
    seeded = seed(4000)

    assert seeded.verdicts == 4000
    assert Certificate.objects.get(superseded_at=None).n == 98
    assert Run.objects.filter(pk=seeded.run, state="running").exists()
    assert Session.objects.filter(pk=seeded.session).exists()


def test_what_a_process_uses_is_read() -> None:
    with program("lean_judge") as judge:
        judge.hear()

        assert cpu_seconds(judge.pid) > 0
        assert 1 < memory(judge.pid)["pss"] <= memory(judge.pid)["rss"] < 1000


def test_rows_to_import_are_in_the_founding_form(tmp_path: Path) -> None:
    write_rows(tmp_path / "rows.jsonl", 10)

    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    assert [row["human"] for row in rows].count("FAIL") == 2
    assert 450 < len(json.dumps(rows[0])) < 700
