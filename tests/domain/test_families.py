import pytest

from judging.domain.families import family_key, own_family_words, shared_family_words


@pytest.mark.parametrize("spelling", ["openai", "OpenAI", " Open AI ", "OPEN\u00a0AI", "open\tai"])
def test_case_and_spaces_make_no_other_family(spelling: str) -> None:
    assert family_key(spelling) == "openai"


def test_jurors_of_one_family_are_named_once_a_family() -> None:
    jurors = [("a", "OpenAI"), ("b", "qwen"), ("c", "open ai"), ("d", "openai"), ("e", "Qwen"), ("f", "meta")]

    warnings = shared_family_words(jurors)

    assert [warning.split(". ")[0] for warning in warnings] == [
        "a, c and d are of one family, OpenAI",
        "b and e are of one family, qwen",
    ]


def test_jurors_of_different_or_unknown_families_are_no_reason_to_warn() -> None:
    assert shared_family_words([("a", "openai"), ("b", "qwen"), ("c", ""), ("d", " ")]) == []


def test_two_versions_of_one_judge_are_not_two_models_of_a_family() -> None:
    assert shared_family_words([("a", "openai"), ("a", "openai"), ("b", "qwen")]) == []


def test_rows_of_the_jurors_own_family_are_counted() -> None:
    assert own_family_words("strict", 1200, 4000) == (
        "1,200 of 4,000 rows were written by a model of strict's own family: "
        "its verdicts about them are not independent."
    )
    assert own_family_words("strict", 1, 1).endswith("its verdict about it is not independent.")
