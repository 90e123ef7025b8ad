"""Which parameters a judge may have: those that shape the answer, none that say where the question goes."""

from collections.abc import Mapping
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
# `response_format`: how strictly to ask for JSON. `answers_as`: the model's name in the provider's answer,
# where an alias is asked.
RESPONSE_FORMATS = ("schema", "json", "none")
OWN = frozenset({"response_format", "answers_as"})


class InvalidJudgeParams(ValueError):
    """A judge's parameters cannot be used; the text says which and why."""


def check_params(params: Mapping[str, Any]) -> None:
    """Raise `InvalidJudgeParams` with one sentence for a parameter that a judge may not have."""
    for name in params:
        if name not in SENT | OWN:
            raise InvalidJudgeParams(
                f"A judge cannot have the parameter “{name}”. Known are {', '.join(sorted(SENT | OWN))}."
            )
    if params.get("response_format", "schema") not in RESPONSE_FORMATS:
        raise InvalidJudgeParams(f"“response_format” must be one of {', '.join(RESPONSE_FORMATS)}.")
    if not isinstance(params.get("answers_as", ""), str):
        raise InvalidJudgeParams("“answers_as” must be a model's name.")
