"""Recorded verdicts as plain values: names, entries, scores that fit, and what makes two recordings one."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.domain.recordings import (
    EntryProblem,
    Said,
    fitting,
    read_entry,
    recording_identity,
    slug_for,
    whole_verdict,
)
from judging.domain.verdicts import Outcome
from labeling.domain.criteria import CriteriaSpec, CriterionSpec

GRADED = CriterionSpec("useful", "How useful.", scale_max=4, minimum=3)
SAFE = CriterionSpec("safe", "Is it safe?", minimum=1)
CRITERIA = CriteriaSpec((GRADED, SAFE))


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("gpt-3.5-turbo/no-cot+ref", "gpt-3-5-turbo-no-cot-ref"),
        ("GPT-4", "gpt-4"),
        ("  Müller & Söhne ", "muller-sohne"),
        ("评审", "judge-66faf426"),
        ("gpt 评审", "gpt-a07d2694"),
        ("--", "judge-d8156bae"),
    ],
)
def test_a_name_becomes_a_short_name(name: str, slug: str) -> None:
    assert slug_for(name) == slug


@given(st.text())
def test_every_name_becomes_one_that_addresses_can_hold(name: str) -> None:
    slug = slug_for(name.encode("utf-8", "ignore").decode())

    assert 0 < len(slug) <= 80
    assert slug == slug.strip("-")
    assert all(char in "abcdefghijklmnopqrstuvwxyz0123456789-" for char in slug)


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ({"useful": 4, "safe": 1}, (Outcome.PASS, 1.0)),
        ({"useful": 3, "safe": 1, "other": 9}, (Outcome.PASS, 0.875)),
        ({"useful": 4, "safe": 0}, (Outcome.FAIL, 0.5)),
        ({"useful": 4}, None),
        ({"useful": 3.5, "safe": 1}, None),
        ({"useful": 5, "safe": 1}, None),
    ],
)
def test_a_whole_score_on_every_criterion_makes_a_verdict(
    scores: dict[str, float], expected: tuple[Outcome, float] | None
) -> None:
    assert whole_verdict(CRITERIA, scores) == expected


def test_the_verdict_of_the_file_stands_against_its_scores() -> None:
    said = read_entry({"verdict": "Pass", "scores": {"useful": 0, "safe": None}, "reason": "So."}, CRITERIA)

    assert said == Said(Outcome.PASS, None, {"useful": 0}, "So.")


def test_no_verdict_is_no_verdict_whatever_the_scores() -> None:
    said = read_entry({"verdict": None, "score": 1, "scores": {"useful": 4, "safe": 1}}, CRITERIA)

    assert (said.outcome, said.score) == (Outcome.SKIPPED, None)


@pytest.mark.parametrize("entry", [{}, {"scores": {"useful": 4}}, {"scores": None, "score": 0.9}])
def test_a_verdict_is_never_guessed(entry: dict[str, Any]) -> None:
    with pytest.raises(EntryProblem, match="no verdict and no score on every criterion"):
        read_entry(entry, CRITERIA)


@pytest.mark.parametrize("score", [10**400, float("inf"), True, "1"])
def test_a_score_that_is_no_number_is_refused(score: Any) -> None:
    with pytest.raises(EntryProblem, match="must be a number"):
        read_entry({"verdict": "pass", "scores": {"useful": score}}, CRITERIA)


def test_one_score_off_the_scale_gives_its_criterion_up() -> None:
    recorded = [{"useful": 4, "safe": 1}, {"useful": 2, "safe": 2}, {"other": 9}]

    assert fitting(CRITERIA, recorded) == {"useful"}


def test_a_recording_is_what_was_said_in_whatever_order() -> None:
    first, second = Said(Outcome.PASS), Said(Outcome.FAIL, explanation="No.")
    identity = recording_identity("replies", "gpt", {"a": first, "b": second})

    assert identity == recording_identity("replies", "gpt", {"b": second, "a": first})
    others = [
        recording_identity("replies", "gpt", {"a": first, "b": Said(Outcome.FAIL)}),
        recording_identity("replies", "gpt", {"a": first}),
        recording_identity("other", "gpt", {"a": first, "b": second}),
        recording_identity("replies", "opus", {"a": first, "b": second}),
    ]
    assert len({identity, *others}) == 5
