"""What a format writes it reads back the same, whatever the texts are, and is recognised by what it holds."""

import io
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeling.formats import csv, label_studio, langfuse_items, langfuse_scores, tsv
from labeling.formats.detect import detect
from labeling.formats.rows import Row
from tests.labeling.format_rows import AWKWARD, ROWS, rows_of

FORMS = {
    "csv": csv.write,
    "tsv": tsv.write,
    "label_studio": label_studio.write,
    "langfuse_items": langfuse_items.write,
    "langfuse_scores": langfuse_scores.write,
}
SEVERAL = st.lists(ROWS, min_size=1, max_size=3).map(
    lambda rows: [replace(row, external_id=f"{number}{row.external_id}") for number, row in enumerate(rows)]
)


@pytest.mark.parametrize("form", FORMS)
@given(SEVERAL)
@settings(max_examples=60, deadline=None)
def test_what_is_written_reads_back_the_same(form: str, rows: list[Row]) -> None:
    written = "".join(FORMS[form](rows))
    if form == "langfuse_scores":  # a row that nobody labelled has no score
        rows = [row for row in rows if row.opinions or row.decision]
    if written and rows:
        assert detect(io.BytesIO(written.encode())) == form
        assert [replace(row, line=0, element=None) for row in rows_of(written, form)] == rows


@given(AWKWARD | st.text("'=+-@\t\r x", max_size=5))
def test_an_apostrophe_is_added_and_taken_off_exactly(text: str) -> None:
    shown = csv.harmless(text)

    assert csv.as_it_was(shown) == text
    assert not shown.startswith(("=", "+", "-", "@", "\t", "\r"))


@pytest.mark.parametrize("form", sorted(FORMS.keys() - {"langfuse_scores"}))
def test_a_row_without_anything_but_an_empty_text(form: str) -> None:
    written = "".join(FORMS[form]([Row(line=0, output="")]))

    assert [row.output for row in rows_of(written, form)] == [""]
