"""Words for a verdict in files."""

import pytest

from labeling.domain.verdicts import HumanVerdict, parse_verdict


@pytest.mark.parametrize("word", ["PASS", "pass", "Pass", " pass\n"])
def test_pass_in_any_case_is_pass(word: str) -> None:
    assert parse_verdict(word) is HumanVerdict.PASS


@pytest.mark.parametrize("word", ["FAIL", "fail", "KILL", "kill", "Kill "])
def test_fail_and_kill_are_fail(word: str) -> None:
    assert parse_verdict(word) is HumanVerdict.FAIL


@pytest.mark.parametrize("word", ["", "passed", "yes", "p", None, True, 1, ["PASS"], "pa\x00ss"])
def test_anything_else_is_refused_in_a_sentence(word: object) -> None:
    with pytest.raises(ValueError, match=r"is not a verdict: write PASS or FAIL \(KILL counts as FAIL\)\."):
        parse_verdict(word)


def test_the_refusal_quotes_strange_words_safely_and_briefly() -> None:
    with pytest.raises(ValueError, match="is not a verdict") as refused:
        parse_verdict("\x1b[31m\u202e" + "x" * 10_000)

    assert "\x1b" not in str(refused.value)
    assert "\u202e" not in str(refused.value)
    assert len(str(refused.value)) < 150
