"""Which parameters a judge may have: those that shape the answer, none that say where the question goes."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

# What is sent on to the provider. Anything else a provider's library takes could send the texts and the key
# elsewhere, make it answer by itself or resend behind our back.
SENT = frozenset(
    {
        "temperature",
        "top_p",
        "top_k",
        "max_tokens",
        "max_completion_tokens",
        "seed",
        "stop",
        "presence_penalty",
        "frequency_penalty",
        "reasoning_effort",
        "verbosity",
    }
)
# What Vera itself reads. `response_format`: how strictly to ask for JSON. `expect_model`: the exact name that
# the answering model must give. `answers_as`: likewise, where dated variants of the name are taken too.
# `corrections`: how often a reply of the wrong form is sent back, 1 where left out. `context_tokens`: how
# much the model takes in at once; what does not fit is not sent.
RESPONSE_FORMATS = ("schema", "json", "none")
OWN = frozenset({"response_format", "expect_model", "answers_as", "corrections", "context_tokens"})
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max", "default")
VERBOSITIES = ("low", "medium", "high")
_MOST_TOKENS = 100_000_000
_LONGEST_NAME = 200


class InvalidJudgeParams(ValueError):
    """A judge's parameters cannot be used; the text says which and why."""


def check_names(params: Mapping[str, Any]) -> None:
    """Raise `InvalidJudgeParams` with one sentence for a parameter that a judge may not have."""
    for name in params:
        if name not in SENT | OWN:
            raise InvalidJudgeParams(
                f"A judge cannot have the parameter “{name}”. Known are {', '.join(sorted(SENT | OWN))}."
            )
    if params.get("response_format", "schema") not in RESPONSE_FORMATS:
        raise InvalidJudgeParams(f"“response_format” must be one of {', '.join(RESPONSE_FORMATS)}.")


def check_params(params: Mapping[str, Any]) -> None:
    """Raise `InvalidJudgeParams` with one sentence for a parameter, or a value of one, that cannot be."""
    check_names(params)
    for name, value in params.items():
        if demand := _demand(name, value):
            raise InvalidJudgeParams(f"“{name}” must be {demand}.")
    if "expect_model" in params and "answers_as" in params:
        raise InvalidJudgeParams("Give either “expect_model” or “answers_as”: both name who must answer.")


def _demand(name: str, value: Any) -> str:
    """What a parameter must be, where the value is not that; else ""."""
    fits, demand = _RULES.get(name, (_anything, ""))
    return "" if fits(value) else demand


def _anything(value: Any) -> bool:
    return True


def _number(low: float, high: float) -> Callable[[Any], bool]:
    return lambda value: _is_number(value) and low <= value <= high


def _is_number(value: Any) -> bool:
    """Whether it can be compared: TOML knows a decimal that is no number, and comparing that one raises."""
    if isinstance(value, Decimal):
        return not value.is_nan()
    return isinstance(value, int | float) and not isinstance(value, bool)


def _whole(low: int, high: int) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def _one_of(words: tuple[str, ...]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and value in words


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip()) and len(value) <= _LONGEST_NAME


def _is_stop(value: Any) -> bool:
    texts = value if isinstance(value, list) else [value]
    return 0 < len(texts) <= 4 and all(isinstance(text, str) and text for text in texts)


_TOKENS = (_whole(1, _MOST_TOKENS), "a whole number of tokens, such as 2000")
_PENALTY = (_number(-2, 2), "a number from -2 to 2")
_MODEL_NAME = (_is_name, "a model's name as the provider writes it in its answers")
_RULES: dict[str, tuple[Callable[[Any], bool], str]] = {
    "temperature": (
        _number(0, 2),
        "a number from 0 to 2; 0 makes a judge most alike from one time to the next",
    ),
    "top_p": (_number(0, 1), "a number from 0 to 1"),
    "top_k": (_whole(0, _MOST_TOKENS), "a whole number from 0"),
    "max_tokens": _TOKENS,
    "max_completion_tokens": _TOKENS,
    "seed": (_whole(-(2**63), 2**63 - 1), "a whole number"),
    "stop": (_is_stop, "a text, or a list of up to four"),
    "presence_penalty": _PENALTY,
    "frequency_penalty": _PENALTY,
    "reasoning_effort": (_one_of(EFFORTS), f"one of {', '.join(EFFORTS)}"),
    "verbosity": (_one_of(VERBOSITIES), f"one of {', '.join(VERBOSITIES)}"),
    "expect_model": _MODEL_NAME,
    "answers_as": _MODEL_NAME,
    "corrections": (_whole(0, 1), "0 or 1: how often an unreadable reply is sent back"),
    "context_tokens": (
        _whole(1, _MOST_TOKENS),
        "the whole number of tokens that the model takes in at once, such as 8192",
    ),
}
