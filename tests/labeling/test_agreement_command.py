"""`agreement FILE`: people with people, straight from a file."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests.judging.recorded import write_rows


def agreement(path: Path, *options: str) -> str:
    out = StringIO()
    call_command("agreement", str(path), *options, stdout=out)
    return out.getvalue()


def row(word: str, **said: str | None) -> dict[str, Any]:
    return {"human": [{"annotator": name, word: value} for name, value in said.items()]}


def test_every_pair_is_told_by_verdicts(tmp_path: Path) -> None:
    rows = [row("verdict", consensus="pass", a1="pass", a2="PASS", a3="fail")] * 3
    rows += [
        row("verdict", a1="fail", a2="fail"),
        row("verdict", a1="fail", a2="pass"),
        row("verdict", a1="pass"),
    ]

    said = agreement(write_rows(tmp_path / "set.jsonl", *rows))

    # a1 and a2: agreement .8; by chance .6 * .8 + .4 * .2 = .56.
    assert said.splitlines() == [
        "a1 and a2: kappa 0.545 on 5 rows",
        "a1 and a3: kappa 0.000 on 3 rows",
        "a2 and a3: kappa 0.000 on 3 rows",
    ]


def test_where_outputs_are_compared_votes_count(tmp_path: Path) -> None:
    rows = [row("vote", a1="a", a2="a"), row("vote", a1="tie", a2="Tie"), row("vote", a1="b", a2=None)]

    (pair,) = json.loads(agreement(write_rows(tmp_path / "set.jsonl", *rows), "--json"))

    assert pair == {"one": "a1", "other": "a2", "rows": 2, "kappa": 1.0}


def test_one_word_throughout_has_no_kappa(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "set.jsonl", *[row("verdict", a1="pass", a2="pass")] * 4)

    assert agreement(path) == "a1 and a2: kappa undefined on 4 rows\n"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ('{"human": "PASS"}', "Line 1, human: This must be a list of objects"),
        ('{"human": [{"annotator": "a", "verdict": "good"}]}', r"Line 1, human\[1\].verdict: 'good' is not"),
        ('{"human": []}', "No row of the file has words of two people"),
        ("{", "Line 1: This is not valid JSON"),
    ],
)
def test_what_is_wrong_is_said_by_line(content: str, sentence: str, tmp_path: Path) -> None:
    (tmp_path / "set.jsonl").write_text(content)

    with pytest.raises(CommandError, match=sentence) as refusal:
        agreement(tmp_path / "set.jsonl")

    assert refusal.value.returncode == 2
