"""What holds for Layer 1 as a whole, whatever the checks are."""

import string
from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.domain.precheck import CHECKS, Case, Check, Kill, Layer1, criteria_text_of, run_precheck
from judging.domain.precheck.strict_json import NotJson, parse

FOUNDING = ("empty_output", "unmarked_failure", "error_leak", "schema_violation")


def test_layer_1_has_no_word_for_pass() -> None:
    assert [word.value for word in Layer1] == ["KILL", "ABSTAIN"]


def test_the_founding_checks_come_first_in_their_order() -> None:
    assert tuple(check.name for check in CHECKS)[:4] == FOUNDING


def test_the_first_kill_names_itself_and_ends_the_run() -> None:
    outcome = run_precheck(Case('{"success": false, "error": "x"}', criteria="return strict JSON"))

    assert (outcome.check, outcome.checks_run) == ("unmarked_failure", FOUNDING[:2])


def test_abstaining_names_all_checks_and_no_reason() -> None:
    outcome = run_precheck(Case("Lima"))

    assert (outcome.check, outcome.reason) == (None, None)
    assert outcome.checks_run == tuple(check.name for check in CHECKS)


def test_no_checks_abstain() -> None:
    assert run_precheck(Case(""), checks=()).verdict is Layer1.ABSTAIN


def test_a_check_of_ones_own_kills_by_its_name() -> None:
    shouting = Check("shouting", lambda case: Kill("all capitals") if case.candidate.isupper() else None)

    assert run_precheck(Case("LIMA"), checks=(shouting,)).check == "shouting"


def test_a_kill_without_a_reason_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="needs a reason"):
        Kill("  ")


def test_a_case_cannot_be_changed() -> None:
    case = Case("Lima")

    with pytest.raises(FrozenInstanceError):
        case.candidate = "Quito"  # type: ignore[misc]


@pytest.mark.parametrize("success", [True, None, "false", 0])
def test_only_a_false_success_in_meta_kills(success: object) -> None:
    assert run_precheck(Case("done", meta={"success": success})).verdict is Layer1.ABSTAIN
    assert run_precheck(Case("done", meta={"success": False})).check == "unmarked_failure"


def test_a_nested_flag_in_meta_is_not_the_run() -> None:
    assert run_precheck(Case("done", meta={"tool": {"success": False}})).verdict is Layer1.ABSTAIN


def test_what_is_asked_after_a_long_text_is_read() -> None:
    log = "10:00 started\n" * 20_000
    candidate = "KeyError: 'channel'"

    assert run_precheck(Case(candidate, request=f"{log}Sum the rows.")).check == "error_leak"
    assert run_precheck(Case(candidate, request=f"{log}Which exception ended this?")).check is None


def test_criteria_items_become_lines() -> None:
    items = [{"name": "a", "description": "First."}, {"name": "b", "description": "Second."}]

    assert criteria_text_of(items) == "a: First.\nb: Second."


@given(st.text())
def test_any_text_is_killed_with_a_reason_or_left_alone(candidate: str) -> None:
    outcome = run_precheck(Case(candidate, criteria="return strict JSON"))

    assert (outcome.verdict is Layer1.KILL) == bool(outcome.check) == bool(outcome.reason)


@given(st.text(alphabet=string.ascii_letters + " ", min_size=60))
def test_plain_words_are_never_killed(words: str) -> None:
    assert run_precheck(Case(words.strip() or "word", request="Write it.")).check in (None, "empty_output")


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON_VALUES)
def test_no_valid_json_violates_a_demand_for_json(value: object) -> None:
    import json

    outcome = run_precheck(Case(json.dumps(value), criteria="return strict JSON"))

    assert outcome.check != "schema_violation"


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", "{'a': 1}", "[1,]", "", "[1] 2", "01", "nul"])
def test_what_is_no_json(text: str) -> None:
    with pytest.raises(NotJson):
        parse(text)
