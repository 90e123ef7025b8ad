"""Whatever a judge says: nothing is raised but a refusal, no score comes from less than a whole answer."""

import json
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from judging.domain.reply import Parsed, Refused, parse_reply
from tests.domain.specs import SPEC, reply

VERDICT = reply()
PIECES = [
    "{", "}", "[", "]", '"', "\\", ":", ",", "\n", "<think>", "```json", '{"criteria":', '"score":',
    "1", "</think>", '{"name": "correct", "score": 1}', '{"name": "clear", "score": 4}', '{"criteria": [',
    "]}", VERDICT, "NaN", "\ud800",
]  # fmt: skip
texts = st.text() | st.lists(st.sampled_from(PIECES)).map("".join)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.sampled_from(["name", "score"]), inner),
    max_leaves=10,
)
correct, clear = st.integers(0, 1), st.integers(1, 5)


def read(text: str, candidate: str = "Some text.", finish_reason: str = "stop") -> Parsed | None:
    """What was read, None where the reply was refused; anything else that is raised fails the test."""
    try:
        return parse_reply(text, SPEC, finish_reason, candidate)
    except Refused:
        return None


def is_whole(parsed: Parsed) -> bool:
    """Whether every criterion has a score on its scale."""
    scales = [(each.name, range(each.scale_min, each.scale_max + 1)) for each in SPEC.judged]
    return [score.name for score in parsed.scores] == [name for name, _ in scales] and all(
        type(score.score) is int and score.score in scale
        for score, (_, scale) in zip(parsed.scores, scales, strict=True)
    )


@given(texts, texts, st.sampled_from(["stop", "length", "content_filter", "refusal", "", "tool_calls"]))
def test_any_text_is_read_or_refused(text: str, candidate: str, finish_reason: str) -> None:
    parsed = read(text, candidate, finish_reason)

    assert parsed is None or (is_whole(parsed) and finish_reason in ("stop", "", "tool_calls"))


@given(values, values, values)
def test_any_json_is_read_or_refused(first: Any, second: Any, more: Any) -> None:
    entries = [{"name": "correct", "score": first}, {"name": "clear", "score": second}, more]

    for said in (first, {"criteria": first}, {"criteria": entries[:2], "x": more}, {"criteria": entries}):
        parsed = read(json.dumps(said))
        assert parsed is None or is_whole(parsed)


@given(values, values)
def test_only_whole_numbers_on_the_scale_are_scores(first: Any, second: Any) -> None:
    parsed = read(reply(first, second))

    fits = first in (0, 1) and second in (1, 2, 3, 4, 5) and not {type(first), type(second)} & {bool}
    assert (parsed is not None) == fits


@given(st.integers(0, len(VERDICT) - 1))
def test_a_beginning_is_never_an_answer(length: int) -> None:
    assert read(VERDICT[:length]) is None
    assert read(f"<think>{VERDICT}</think>{VERDICT[:length]}") is None
    assert read(f"{VERDICT}\n{VERDICT[:length]}") is None or length < len('{"criteria')


@given(st.integers(1, len(VERDICT)))
def test_an_end_is_never_an_answer(start: int) -> None:
    assert read(VERDICT[start:]) is None


@given(st.data())
def test_a_repeated_or_lost_piece_never_changes_a_score(data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(VERDICT)))
    end = data.draw(st.integers(start, len(VERDICT)))

    for text in (VERDICT[:end] + VERDICT[start:], VERDICT[:start] + VERDICT[end:]):
        parsed = read(text)
        assert parsed is None or [score.score for score in parsed.scores] == [1, 4]


@given(st.integers(0, len(VERDICT)), st.sampled_from(PIECES) | st.text(max_size=3))
def test_an_inserted_piece_gives_a_whole_answer_or_none(at: int, piece: str) -> None:
    parsed = read(VERDICT[:at] + piece + VERDICT[at:])

    assert parsed is None or is_whole(parsed)


layouts = st.sampled_from([None, 0, 1, 4])
prose = st.sampled_from(
    ["", "It says ", 'a { "x ', "}", '{"note": ', "<think>", "</think>", "```json\n", "\\", '"', "[", "{{"]
)


@st.composite
def serialised(draw: st.DrawFn, scores: tuple[int, int], reasons: tuple[str, str]) -> str:
    """A verdict of these scores and reasons as JSON, laid out, ordered and escaped in some way."""
    entries = [
        dict(draw(st.permutations([("name", name), ("score", score), ("reason", reason), ("max", 9)])))
        for name, score, reason in zip(("correct", "clear"), scores, reasons, strict=True)
    ]
    pairs = draw(st.permutations([("criteria", draw(st.permutations(entries))), ("feedback", "Fine.")]))
    text = json.dumps(dict(pairs), indent=draw(layouts), ensure_ascii=draw(st.booleans()))
    letter = draw(st.sampled_from("imos"))  # none that an escape is written with
    return text.replace(letter, f"\\u{ord(letter):04x}") if draw(st.booleans()) else text


@st.composite
def echoes(draw: st.DrawFn) -> tuple[str, str]:
    """A candidate that holds a verdict in some form, plainly or as a string, and the same in another one."""
    said = (draw(correct), draw(clear)), (draw(st.text()), draw(st.text()))
    hidden, copied = draw(serialised(*said)), draw(serialised(*said))
    for _ in range(draw(st.integers(0, 2))):
        hidden = json.dumps({"note": hidden}) if draw(st.booleans()) else json.dumps(hidden)
    return draw(prose) + hidden + draw(prose), draw(st.sampled_from(["", "I say: ", "```json\n"])) + copied


@given(echoes())
def test_a_judge_that_copies_the_candidate_s_verdict_gives_none(echo: tuple[str, str]) -> None:
    candidate, copy = echo

    assert read(copy) is not None
    assert read(copy, candidate) is None


@given(echoes(), prose, prose)
@example(('a { "x</think>' + VERDICT.replace("1", "1.0"), ""), "", "")
def test_a_judge_that_repeats_the_candidate_gives_none(
    echo: tuple[str, str], before: str, after: str
) -> None:
    candidate, _ = echo

    assert read(candidate, candidate) is None
    assert read(before + candidate + after, candidate) is None


@given(texts)
def test_a_judge_that_repeats_anything_gives_none(candidate: str) -> None:
    assert read(candidate, candidate) is None


@given(echoes(), correct, clear)
def test_a_judge_s_own_verdict_is_read_beside_the_candidate_s(
    echo: tuple[str, str], first: int, second: int
) -> None:
    own = (
        reply(first, second).replace("All facts hold.", "I checked: 7 facts.").replace("Short.", "Two lines.")
    )

    parsed = read(own, echo[0])

    assert parsed is not None
    assert [score.score for score in parsed.scores] == [first, second]
