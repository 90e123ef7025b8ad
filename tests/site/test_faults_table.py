"""Every test that docs/faults.md names is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TABLE = (ROOT / "docs" / "faults.md").read_text(encoding="utf-8")
CELLS = [line.split("|")[-2] for line in TABLE.splitlines() if line.startswith("| ")]
NAMED = {found for cell in CELLS for found in re.findall(r"`((?:\w+/)?test_\w+)`(?:: `(\w+)`)?", cell)}


def test_the_table_names_tests() -> None:
    assert len(NAMED) > 20


@pytest.mark.parametrize(("module", "part"), sorted(NAMED))
def test_a_test_that_the_table_names_is_there(module: str, part: str) -> None:
    folder = ROOT / "tests" if "/" in module else ROOT / "tests" / "faults"
    source = (folder / f"{module}.py").read_text(encoding="utf-8")

    assert re.search(rf"^def test_\w*{part}", source, re.MULTILINE)
