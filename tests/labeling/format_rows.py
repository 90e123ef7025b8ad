"""Reading and writing formats in tests: strategies for rows, and files as text."""

import io
from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from labeling.domain.verdicts import HumanVerdict
from labeling.formats.detect import READERS
from labeling.formats.rows import Decision, Opinion, Refused, Row

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
# Texts that tables and spreadsheets trip over.
AWKWARD = st.sampled_from(
    ["=1+1", "'=1", "''+1", "'", "@a", "-1", "\tx", "\rx", 'a "b"', "a,b;c\td", "a\r\nb", "\ufeffa", "\u2028"]
)
TEXTS = TEXT | AWKWARD
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
OPINIONS = st.lists(
    st.builds(
        Opinion,
        st.sampled_from(HumanVerdict),
        st.sampled_from(["a1", "ü 2", "a3@x", "=cmd"]),
        TEXTS,
        st.booleans(),
        st.dictionaries(TEXTS, st.integers(0, 9), max_size=2),
    ),
    unique_by=lambda opinion: opinion.annotator,
    max_size=3,
).map(tuple)
DECISIONS = st.builds(Decision, st.none() | st.sampled_from(HumanVerdict), TEXTS, st.booleans())
ROWS = st.builds(
    Row,
    line=st.just(0),
    output=TEXTS,
    request=TEXTS,
    grounding=TEXTS,
    criteria_text=TEXTS,
    external_id=TEXTS,
    split=st.sampled_from(["", "tune", "certify"]),
    probability=st.none() | st.floats(1e-6, 1),
    generator_model=TEXTS,
    generator_family=TEXTS,
    truncated=st.booleans(),
    meta=st.dictionaries(
        TEXTS | st.sampled_from(["meta", "note", "id", "answers", "vera"]), JSON, max_size=3
    ),
    opinions=OPINIONS,
    decision=st.none() | DECISIONS,
)


def read(content: bytes | str, form: str, mapping: Mapping[str, str] = {}) -> list[Row | Refused]:
    """Every row of a file."""
    given = content.encode() if isinstance(content, str) else content
    return list(READERS[form](io.BytesIO(given), mapping))


def rows_of(content: bytes | str, form: str, mapping: Mapping[str, str] = {}) -> list[Row]:
    """Every row of a file in which none is refused."""
    rows = read(content, form, mapping)
    good = [row for row in rows if isinstance(row, Row)]
    assert good == rows, rows
    return good


def refused_in(content: bytes | str, form: str, mapping: Mapping[str, str] = {}) -> Refused:
    """The one row of a file that is refused."""
    (refused,) = (row for row in read(content, form, mapping) if isinstance(row, Refused))
    return refused


def opinion(verdict: str, annotator: str | None = None, **more: Any) -> Opinion:
    """Somebody's word."""
    return Opinion(HumanVerdict(verdict), annotator, **more)
