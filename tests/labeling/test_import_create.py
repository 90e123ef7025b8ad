"""The criteria that rows belong to: checked against the version, or made from the first row."""

from decimal import Decimal
from typing import Any

import pytest

from labeling.models import Candidate, CriteriaSet, Criterion
from labeling.services.imports import ImportProblem
from tests.factories import make_criteria_set
from tests.labeling.importing import import_rows, said

pytestmark = pytest.mark.django_db

CLEAR = {"name": "clear", "description": "It is clear."}


def test_criteria_texts_make_the_one_criterion_that_they_meet() -> None:
    import_rows("notes", said("a", "PASS", criteria="Be short."), said("b", criteria="Be kind."), create=True)

    criterion = Criterion.objects.get()
    assert (criterion.name, criterion.required, criterion.scale_max) == ("meets_criteria", True, 1)
    assert criterion.description == "The output meets the criteria stated for it."
    assert {row.criteria_text for row in Candidate.objects.all()} == {"Be short.", "Be kind."}


def test_a_list_of_criteria_makes_a_version_of_them() -> None:
    graded = {"name": "tone", "description": "Kind.", "scale": [1, 5], "minimum": 3, "weight": 2}
    import_rows("notes", said("a", [], criteria=[CLEAR, graded], threshold=0.8), create=True)

    version = CriteriaSet.objects.get(slug="notes").live_version
    assert version is not None
    assert version.threshold == Decimal("0.8")
    stored = version.criteria.values_list("name", "scale_min", "scale_max", "minimum", "weight")
    assert list(stored) == [("clear", 0, 1, 1, 1), ("tone", 1, 5, 3, 2)]


def test_create_uses_a_set_that_is_there() -> None:
    import_rows("notes", said("a", [], criteria=[CLEAR]), create=True)
    import_rows("notes", said("b", [], criteria=[CLEAR]), create=True)

    assert CriteriaSet.objects.get().candidates.count() == 2


@pytest.mark.parametrize(
    ("more", "field", "says"),
    [
        ({"criteria": [CLEAR | {"name": "short"}]}, "criteria", "those of notes@1 are 'clear'"),
        ({"criteria": [CLEAR | {"description": "x"}]}, "criteria", "describes 'clear' otherwise"),
        ({"criteria": [CLEAR, CLEAR | {"name": "x"}]}, "criteria", "'clear, x'"),
        ({"threshold": 0.9}, "threshold", "belongs to the threshold 0.9"),
    ],
)
def test_a_row_of_other_criteria_is_refused(more: dict[str, Any], field: str, says: str) -> None:
    first = said("a", [], criteria=[CLEAR])

    (refused,) = import_rows("notes", first, said("b", []) | more, create=True).refused

    assert (refused.line, refused.field) == (2, field)
    assert says in refused.reason
    assert not CriteriaSet.objects.exists()


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (said("a"), "the row states no criteria"),
        (said("a", [], criteria=[CLEAR | {"scale": [1, 5]}]), "has no minimum"),
        (said("a", [], criteria=[CLEAR | {"strategy": "magic"}]), "must have the strategy “judge”"),
    ],
)
def test_a_first_row_that_makes_no_criteria_says_why(row: dict[str, Any], says: str) -> None:
    with pytest.raises(ImportProblem, match="line 1") as problem:
        import_rows("notes", row, create=True)

    assert says in str(problem.value)


def test_a_check_makes_no_set() -> None:
    assert import_rows("notes", said("a", criteria="Be short."), create=True, dry_run=True).acceptable
    assert not CriteriaSet.objects.exists()


def test_a_set_that_is_not_there_is_not_made_unasked() -> None:
    with pytest.raises(ImportProblem, match="There is no criteria set 'notes'"):
        import_rows("notes", said("a"))


def test_a_set_without_a_live_version_takes_no_rows() -> None:
    CriteriaSet.objects.filter(pk=make_criteria_set("notes").pk).update(live_version=None)

    with pytest.raises(ImportProblem, match="no live version"):
        import_rows("notes", said("a"))
