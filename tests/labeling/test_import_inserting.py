"""Rows written without model objects are those that the models would have written."""

import json
from itertools import count
from typing import Any

import pytest
from django.db import IntegrityError

from labeling.models import Candidate, CriteriaSet, Submission
from labeling.services.imports import inserting
from labeling.services.imports.inserting import insert
from tests.factories import make_candidate, make_criteria_set

pytestmark = pytest.mark.django_db

_COLUMNS = ("output", "content_hash", "request_hash")
_numbers = count(1)


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set()


def texts(rows: int) -> list[tuple[str, str, str]]:
    return [
        (f"Output {n} — 100 % “sure”", f"{n:064x}", "0" * 64) for n in (next(_numbers) for _ in range(rows))
    ]


def test_keys_come_in_the_order_of_the_rows(
    criteria_set: CriteriaSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inserting, "_MOST_VALUES", 30)  # several statements
    rows = texts(25)

    made = insert(Candidate, _COLUMNS, rows, criteria_set_id=criteria_set.pk)

    found = Candidate.objects.in_bulk(made)
    assert [found[pk].output for pk in made] == [output for output, _, _ in rows]


def test_what_nobody_names_holds_the_default_of_the_model(criteria_set: CriteriaSet) -> None:
    by_model = make_candidate(criteria_set)

    (made,) = insert(Candidate, _COLUMNS, texts(1), criteria_set_id=criteria_set.pk)

    candidate = Candidate.objects.get(pk=made)
    assert (candidate.split, candidate.grounding, candidate.criteria_text) == ("certify", "", "")
    assert candidate.created_at >= by_model.created_at


def test_json_is_stored_as_its_text_says(criteria_set: CriteriaSet) -> None:
    candidate = make_candidate(criteria_set)
    meta: dict[str, Any] = {"ä": [1, 2.5, None, {"deep": True}], "quoted": "\"'{},\\ %s"}

    insert(Submission, ("candidate_id", "meta"), [(candidate.pk, json.dumps(meta))], source="import")

    submission = candidate.submissions.get()
    assert (submission.meta, submission.source, submission.batch) == (meta, "import", None)


def test_a_second_row_of_the_same_content_is_refused(criteria_set: CriteriaSet) -> None:
    rows = texts(1) * 2

    with pytest.raises(IntegrityError):
        insert(Candidate, _COLUMNS, rows, criteria_set_id=criteria_set.pk)


def test_nothing_to_add_adds_nothing(criteria_set: CriteriaSet) -> None:
    assert insert(Candidate, _COLUMNS, [], criteria_set_id=criteria_set.pk) == []
