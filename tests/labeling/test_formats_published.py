"""The published sets as rows of every other format, and back."""

from dataclasses import replace

import pytest

from labeling.formats.detect import READERS, detect
from labeling.formats.rows import Row
from labeling.services.exports import WRITERS
from tests.labeling.format_rows import rows_of
from tests.shared import shared_path


@pytest.mark.parametrize("name", ["conala_code", "openqa_nq301", "vera_seed_golden"])
@pytest.mark.parametrize("form", ["csv", "label_studio", "langfuse_items"])
def test_a_published_set_comes_back_from_every_format(name: str, form: str) -> None:
    with shared_path(f"data/{name}.jsonl").open("rb") as file:
        rows = [_alike(row) for row in READERS[detect(file)](file, {}) if isinstance(row, Row)]

    back = [_alike(row) for row in rows_of("".join(WRITERS[form](rows)), form)]

    assert len(rows) >= 8
    assert back == rows


def _alike(row: Row) -> Row:
    """Without what these formats do not carry: the criteria, judges, and that a label is nobody's."""
    opinions = tuple(replace(opinion, annotator=opinion.annotator or "file") for opinion in row.opinions)
    return replace(
        row,
        line=0,
        element=None,
        criteria=(),
        threshold=None,
        judge_verdicts=0,
        silent_annotators=0,
        opinions=opinions,
    )
