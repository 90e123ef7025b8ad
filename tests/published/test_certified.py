"""The published figures, read over the API: rows imported, verdicts brought in, judges calibrated."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from judging.models import Verdict
from labeling.domain.content import content_hash
from labeling.domain.verdicts import parse_verdict
from labeling.models import CriteriaSet
from tests.factories import make_user
from tests.judging.recorded import (
    calibrated,
    certification,
    import_file,
    load_file,
    read_api,
    write_rows,
)
from tests.shared import shared_path, shared_rows

pytestmark = [pytest.mark.published, pytest.mark.django_db]

# Judges as their names in the files become short names here.
PROMPTS = [f"gpt-3-5-turbo-{prompt}" for prompt in ("no-cot", "no-cot-ref", "cot", "cot-ref")]


def measured(path: Path, criteria_set: str, judges: list[str]) -> list[dict[str, Any]]:
    """What the API says of these judges once the file was imported, loaded and calibrated."""
    import_file(path, criteria_set)
    code, said = load_file(path, criteria_set, "--all")
    assert code == 0, said
    for judge in judges:
        calibrated(judge, criteria_set)
    return [certification(judge, criteria_set) for judge in judges]


def test_openqa_with_duplicates_once() -> None:
    path = shared_path("data/openqa_nq301.jsonl")

    gpt4, davinci = measured(path, "openqa", ["gpt-4", "text-davinci-003"])

    # One text stands in the file twice. GPT-4 gave no usable verdict on two rows and none at all on one.
    assert (gpt4["n"], davinci["n"]) == (1486, 1489)
    assert [gpt4["kappa"], davinci["kappa"]] == pytest.approx([0.695, 0.674], abs=5e-4)
    for found in (gpt4, davinci):
        low, high = found["interval"]
        assert found["recorded"]
        assert found["certified"]
        # People with people without the one who was asked where the others disagreed.
        assert found["human_kappa"] == pytest.approx(0.735, abs=5e-4)
        assert low < found["lower_bound"] < found["kappa"] < high < low + 0.08
    assert set(Verdict.objects.filter(outcome="skipped").values_list("reason", flat=True)) == {"no_verdict"}


def test_openqa_people_with_people() -> None:
    import_file(shared_path("data/openqa_nq301.jsonl"), "openqa")

    pairs = read_api("people/openqa")["pairs"]

    (first,) = [each for each in pairs if (each["one"], each["other"]) == ("a1@openqa", "a2@openqa")]
    assert first["n"] == 1482
    assert first["kappa"] == pytest.approx(0.735, abs=5e-4)

    client = Client()
    client.force_login(make_user(lead_of=CriteriaSet.objects.get()))
    assert "0.735" in client.get("/sets/openqa/agreement/").text


def test_pandalm_annotators_pairwise() -> None:
    out = StringIO()

    call_command("agreement", str(shared_path("data/pandalm_pairwise.jsonl")), "--json", stdout=out)

    pairs = [(each["one"], each["other"], each["rows"]) for each in json.loads(out.getvalue())]
    assert pairs == [("a1", "a2", 999), ("a1", "a3", 999), ("a2", "a3", 999)]
    assert [each["kappa"] for each in json.loads(out.getvalue())] == pytest.approx(
        [0.852, 0.879, 0.862], abs=5e-4
    )


def test_conala_with_contradicting_duplicates_unresolved() -> None:
    path = shared_path("data/conala_code.jsonl")

    found = measured(path, "conala", PROMPTS)

    # 2032 texts, of which 41 were rated more than once with opposite outcomes and 71 were never judged; one
    # prompt brought no usable reply four times.
    assert [each["n"] for each in found] == [1920, 1916, 1920, 1920]
    assert [each["kappa"] for each in found] == pytest.approx([0.4617, 0.5446, 0.6204, 0.6372], abs=5e-5)
    assert [each["certified"] for each in found] == [False] * 4


def test_conala_without_the_rows_that_contradict_an_earlier_one(tmp_path: Path) -> None:
    rows = _without_contradicting(shared_rows("data/conala_code.jsonl"))

    found = measured(write_rows(tmp_path / "conala.jsonl", *rows), "conala", PROMPTS)

    # Published as .458 / .533 / .610 / .624; to four digits .4579 / .5327 / .6095 / .6236.
    assert [each["n"] for each in found] == [1961, 1957, 1961, 1961]
    assert [each["kappa"] for each in found] == pytest.approx([0.4579, 0.5327, 0.6095, 0.6236], abs=5e-5)


def _without_contradicting(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those rows whose text no earlier row rated otherwise: of each text the first rating stays."""
    first: dict[str, str] = {}
    kept = []
    for row in rows:
        identity = content_hash(row["request"], row["candidate"], row["grounding"], "")
        verdict = next(each["verdict"] for each in row["human"] if each["annotator"] == "consensus")
        if first.setdefault(identity, parse_verdict(verdict)) == parse_verdict(verdict):
            kept.append(row)
    return kept
