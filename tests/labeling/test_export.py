"""Taking rows out, and that what comes out goes in again unchanged."""

import io
import json
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from labeling.models import Candidate, CriteriaSet, Exposure
from labeling.services import exports, golden_rows
from labeling.services.imports import import_golden
from labeling.services.labels import correct_label
from tests.factories import make_candidate, make_criteria_set, make_label, make_user
from tests.labeling.importing import by, export_text, import_rows, said, truths

pytestmark = pytest.mark.django_db

_numbers = count(1)


def import_text(slug: str, text: str, **options: Any) -> CriteriaSet:
    report = import_golden(stream=io.BytesIO(text.encode()), file_name="export", slug=slug, **options)
    assert report.kept, report.refused
    return CriteriaSet.objects.get(slug=slug)


def test_an_export_makes_the_same_set_elsewhere() -> None:
    criteria = [{"name": "tone", "description": "Kind.", "scale": [1, 5], "minimum": 3}]
    first = said(
        "a",
        [
            by("gold", "fail", comment="late"),
            by("a1", "pass", scores={"tone": 4}),
            by("a2", "fail", blind=False),
        ],
        id="1",
        criteria=criteria,
        threshold=0.8,
        request="Ask.",
        grounding="Known.",
        split="tune",
        generator_model="m",
        generator_family="f",
        truncated=True,
        source={"b": [1, None], "a": 1e2},
    )
    second = said("a", [], id="2", request="Ask.", grounding="Known.")
    import_rows("one", first, second, said("b", []), said("b", []), create=True)
    exported = export_text(CriteriaSet.objects.get(slug="one"))

    other = import_text("two", exported, create=True)

    assert export_text(other) == exported
    assert truths(other) == {"a": "fail", "b": None}
    assert json.loads(exported.splitlines()[0])["criteria"] == criteria


def test_contradictions_come_out_as_unresolved_and_stay_so() -> None:
    one = make_criteria_set("one")
    import_rows("one", said("a", "PASS"), said("a", "KILL"))

    exported = export_text(one)
    two = import_text("two", exported, create=True)

    assert truths(two) == {"a": "unresolved"}
    assert export_text(two) == exported


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
AWKWARD = st.sampled_from(["", "a", "\u2028\ufeff", "a\r\nb", "\r", "=1+1", "'=1", "''-1", "\tx", '"'])
META = st.dictionaries(
    TEXT | st.sampled_from(["id", "meta", "note", "human", "candidate", "vera", "truth"]),
    TEXT | st.none() | st.integers(-9, 9) | st.lists(st.booleans(), max_size=2),
    max_size=3,
)
PEOPLE = st.lists(
    st.builds(
        by,
        st.sampled_from(["a1", "a 2", "gold", "file"]),
        st.sampled_from(["pass", "fail"]),
        comment=TEXT | AWKWARD,
        blind=st.booleans(),
        scores=st.sampled_from([{}, {"meets_criteria": 0}, {"meets_criteria": 1}]),
    ),
    unique_by=lambda entry: entry["annotator"],
    max_size=3,
)
ROWS = st.lists(
    st.builds(
        said,
        AWKWARD | TEXT,
        PEOPLE,
        criteria=TEXT,
        request=TEXT | AWKWARD,
        split=st.sampled_from(["tune", "certify"]),
        generator_model=TEXT,
        truncated=st.booleans(),
        meta=META,
    ),
    min_size=1,
    max_size=4,
)
ARRIVALS = st.tuples(ROWS, st.integers(0, 2)).map(
    # The first rows once more: the same text under another id is another arrival of one candidate.
    lambda drawn: [
        row | {"id": f"r{number}"} | ({"probability": 0.25} if number % 2 else {})
        for number, row in enumerate([*drawn[0], *drawn[0][: drawn[1]]])
    ]
)


def both_ways(rows: list[dict[str, Any]], format: str) -> tuple[CriteriaSet, CriteriaSet]:
    """Two sets: one of the rows, one of what the other gives out in `format`."""
    one, two = (make_criteria_set(f"round-{next(_numbers)}") for _ in range(2))
    import_rows(one.slug, *rows, format="jsonl")
    return one, import_text(two.slug, export_text(one, format), format=format)


@given(ARRIVALS, st.sampled_from(["jsonl", "vera"]))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_export_import_export_is_the_same_to_the_byte(rows: list[dict[str, Any]], format: str) -> None:
    one, two = both_ways(rows, format)
    exported = export_text(one, format)

    assert export_text(two, format) == exported
    again = import_text(one.slug, exported, format=format)
    assert export_text(again, format) == exported


@given(ARRIVALS, st.sampled_from(["csv", "tsv", "label_studio", "langfuse_items"]))
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_went_out_in_another_format_comes_back_the_same(rows: list[dict[str, Any]], format: str) -> None:
    one, two = both_ways(rows, format)

    assert export_text(two) == export_text(one)


def test_imported_annotators_and_people_of_the_same_name_stay_apart() -> None:
    notes = make_criteria_set("notes")
    import_rows("notes", said("a", [by("ada", "pass")], request="Say hello."))
    make_label(Candidate.objects.get(), make_user("ada"), "fail")

    exported = export_text(notes)

    assert [entry["annotator"] for entry in json.loads(exported)["human"]] == ["ada@notes", "ada"]
    assert export_text(import_text("notes", exported)) == exported
    assert export_text(import_text("other", exported, create=True)) == exported


def test_exports_go_through_the_table_in_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    notes = make_criteria_set("notes")
    import_rows("notes", *(said(str(number), "PASS") for number in range(5)))
    whole = export_text(notes)
    for limit, size in (("_AT_ONCE", 2), ("_MOST_TEXT", 1)):
        monkeypatch.setattr(golden_rows, limit, size)
        assert export_text(notes) == whole
    assert [json.loads(line)["candidate"] for line in whole.splitlines()] == list("01234")


def test_who_downloads_the_labels_has_seen_them() -> None:
    notes = make_criteria_set("notes")
    lead = make_user(lead_of=notes)
    by_others, own, unlabelled = (make_candidate(notes) for _ in range(3))
    make_label(by_others, make_user(), "pass")
    make_label(own, lead, "pass")

    version = notes.versions.get()
    exports.export_golden(version=version, format="jsonl", write=str, actor=lead)

    assert [exposure.candidate for exposure in Exposure.objects.filter(user=lead)] == [by_others]


def test_what_was_corrected_is_not_exported() -> None:
    notes = make_criteria_set("notes")
    label = make_label(make_candidate(notes), make_user("ada"), "pass")
    correct_label(label=label, verdict="fail", marks={}, comment="", now=timezone.now())

    [row] = map(json.loads, export_text(notes).splitlines())

    assert [(entry["annotator"], entry["verdict"]) for entry in row["human"]] == [("ada", "fail")]


def test_a_file_that_cannot_be_written_leaves_no_half_of_it(tmp_path: Path) -> None:
    notes = make_criteria_set("notes")
    taken = tmp_path / "golden.jsonl"
    taken.mkdir()

    with pytest.raises(OSError, match=r"golden\.jsonl"):
        exports.export_to_file(version=notes.versions.get(), format="jsonl", path=taken)

    assert list(tmp_path.iterdir()) == [taken]
