"""Named rules that score a criterion in code, where code can decide. They block nothing."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

type Params = Mapping[str, Any]


class UnknownStrategy(ValueError):
    """No rule has this name."""


class InvalidParams(ValueError):
    """The rule exists and cannot work with these parameters."""


@dataclass(frozen=True, slots=True)
class Rule:
    """`check` raises `InvalidParams`; `shortfall` says in one sentence what is wrong, "" when nothing is.

    `says`: what the rule demands, in words. `title` names it in a list, before it has parameters.
    """

    check: Callable[[Params], None]
    shortfall: Callable[[Params, str], str]
    title: str
    says: Callable[[Params], str]


def _check_no_params(params: Params) -> None:
    if params:
        raise InvalidParams("takes no parameters")


def _check_words(params: Params) -> None:
    words = params.get("words")
    if set(params) != {"words"} or type(words) is not int or words < 1:
        raise InvalidParams('needs {"words": n} with a whole number n of at least 1')


def _check_texts(params: Params) -> None:
    texts = params.get("text")
    if set(params) != {"text"} or not isinstance(texts, list) or not texts:
        raise InvalidParams('needs {"text": ["…"]} with at least one text')
    if not all(isinstance(text, str) and text for text in texts):
        raise InvalidParams('needs {"text": ["…"]} with texts that are not empty')


def _not_a_number(literal: str) -> None:
    raise ValueError(f"{literal} is not JSON")


def _json_shortfall(params: Params, candidate: str) -> str:
    try:
        json.loads(candidate, parse_constant=_not_a_number)
    except (ValueError, RecursionError):
        return "The output is not valid JSON."
    return ""


def _words_shortfall(params: Params, candidate: str) -> str:
    # Counted without building a list, so that a candidate of 10 MB costs no more memory than itself.
    words = sum(1 for _ in re.finditer(r"\S+", candidate))
    limit: int = params["words"]
    return f"The output has {words} words; at most {limit} are allowed." if words > limit else ""


def _includes_shortfall(params: Params, candidate: str) -> str:
    texts: list[str] = params["text"]
    lacking = [text for text in texts if text not in candidate]
    return f"The output lacks: {'; '.join(lacking)}." if lacking else ""


RULES: dict[str, Rule] = {
    "valid_json": Rule(
        _check_no_params, _json_shortfall, "the output is valid JSON", lambda _: "the output is valid JSON"
    ),
    "max_words": Rule(
        _check_words,
        _words_shortfall,
        "the output has at most so many words",
        lambda params: f"the output has at most {params['words']} words",
    ),
    "includes": Rule(
        _check_texts,
        _includes_shortfall,
        "the output contains certain texts",
        lambda params: "the output contains " + " and ".join(f"“{text}”" for text in params["text"]),
    ),
}


def described(strategy: str, params: Params) -> str:
    """The rule in words, such as “a rule: the output has at most 90 words”."""
    return f"a rule: {find_rule(strategy).says(params)}"


def find_rule(strategy: str) -> Rule:
    """The rule of that name. Raises `UnknownStrategy`: an unknown strategy is an error, never a default."""
    if strategy not in RULES:
        raise UnknownStrategy(
            f"“{strategy}” is no strategy: use “judge” or one of {', '.join(sorted(RULES))}."
        )
    return RULES[strategy]
