"""A corpus of awkward replies, each with the one right outcome, and the reasons that real judges gave.

`awkward_replies.jsonl`: name, text, expected (a reason code or the scores) and why; `finish_reason`,
`candidate`, `row_texts`, `refusal` and `criteria` where they are not the usual ones. A long text is written
as a list of parts, each with how often it is repeated.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from judging.domain.reply import Refused, parse_reply
from labeling.domain.criteria import CriteriaSpec, CriterionSpec
from tests.domain.specs import CORRECT, SPEC
from tests.shared import shared_rows

CORPUS = Path(__file__).with_name("awkward_replies.jsonl")
ROWS: list[dict[str, Any]] = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]
ODD = CriteriaSpec(
    (
        CriterionSpec("Größe", "How big.", minimum=0, scale_min=-2, scale_max=2),
        CriterionSpec("is it “short”?", "How short.", required=False, scale_min=1, scale_max=3),
    )
)
ONE = CriteriaSpec((CORRECT, CriterionSpec("clear", "Scored by a rule.", strategy="max_length")))
CRITERIA = {"two": SPEC, "odd": ODD, "one": ONE}


def whole(text: str | list[tuple[str, int]]) -> str:
    return text if isinstance(text, str) else "".join(part * times for part, times in text)


def outcome(row: dict[str, Any]) -> str | list[int]:
    try:
        parsed = parse_reply(
            whole(row["text"]),
            CRITERIA[row.get("criteria", "two")],
            row.get("finish_reason", "stop"),
            whole(row.get("candidate", "Some text.")),
            refusal=row.get("refusal", ""),
            row_texts=tuple(row.get("row_texts", ())),
        )
    except Refused as refused:
        return str(refused.code)
    return [score.score for score in parsed.scores]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_each_reply_of_the_corpus_has_its_outcome(row: dict[str, Any]) -> None:
    assert outcome(row) == row["expected"], row["why"]


SETS = ["conala_code", "llmbar_pairwise", "openqa_nq301", "pandalm_pairwise"]
LAYOUTS = ["{reason}\n{verdict}", "{verdict}\n\n{reason}", "<think>{reason}</think>{verdict}"]


def real_reasons(name: str) -> set[str]:
    judges = [judge for row in shared_rows(f"data/{name}.jsonl") for judge in row.get("judges", [])]
    return {judge["reason"] for judge in judges if judge.get("reason")}


def answer(reason: str) -> str:
    """A reply about ONE for this reason."""
    return json.dumps({"criteria": [{"name": "correct", "score": 0, "reason": reason}], "feedback": reason})


@pytest.mark.published
@pytest.mark.parametrize("name", SETS)
def test_no_real_reason_breaks_the_reading_of_a_verdict(name: str) -> None:
    for reason in real_reasons(name):
        parsed = parse_reply(answer(reason), ONE, "stop", "Some text.")

        assert (parsed.scores[0].score, parsed.scores[0].reason) == (0, reason.strip()), reason


@pytest.mark.published
@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize(
    "layout", ["{reason}\n{verdict}", "{verdict}\n\n{reason}", "<think>{reason}</think>{verdict}"]
)
def test_no_real_reason_around_a_verdict_hides_it(name: str, layout: str) -> None:
    for reason in real_reasons(name):
        text = layout.format(reason=reason, verdict=answer("It fails."))

        assert outcome({"text": text, "criteria": "one"}) == [0], reason


@pytest.mark.published
@pytest.mark.parametrize("name", SETS)
def test_no_real_reason_alone_is_a_verdict(name: str) -> None:
    outcomes = {outcome({"text": reason, "criteria": "one"}) for reason in real_reasons(name)}

    assert outcomes <= {"not_json", "truncated", "refused"}
