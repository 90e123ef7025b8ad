"""A judge as plain values, before it is one: a model or a panel, and what makes it impossible."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from judging.domain.params import InvalidJudgeParams, check_params
from judging.domain.prompt import NEWEST, TEMPLATES, UnknownTemplate, template_named
from labeling.domain.content import text_problem

FEWEST_JURORS = 2
UNKNOWN_CONTEXT = (
    "A server that cuts long questions silently would judge half of them; give context_tokens, the model's "
    "context, among the parameters."
)
# With an underscore, so that a key pasted in place of a name is never taken for one and repeated somewhere.
_VARIABLE = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)+\Z")


class InvalidJudge(ValueError):
    """A judge that cannot be; the sentence says what to correct. It holds no secret."""


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens."""

    input: Decimal
    output: Decimal


@dataclass(frozen=True, slots=True)
class ExampleChoice:
    """Which rows a judge is shown as examples: their content hashes, in order, in one criteria set."""

    criteria_set: str
    rows: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """One model: what is asked, where and with which key (by variables' names), and how.

    `template`: the prompt template's name, "" for whichever fits: the newest version's where nothing else
    changed, else the newest there is.
    """

    slug: str
    model: str
    family: str
    base_url_env: str = ""
    api_key_env: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)
    price: Price | None = None
    template: str = ""
    examples: ExampleChoice | None = None


@dataclass(frozen=True, slots=True)
class PanelEntry:
    """A panel. A member is `slug`, or `slug@N` for another version than the one in force."""

    slug: str
    members: tuple[str, ...]
    on_split: str = "majority"


def check_model(entry: ModelEntry) -> None:
    """Raise `InvalidJudge` unless the model can be asked."""
    if not entry.model or not entry.model.isprintable() or " " in entry.model or "://" in entry.model:
        raise InvalidJudge("“model” must be a model's name as litellm knows it, such as openai/gpt-4o-mini.")
    if not entry.family.strip():
        raise InvalidJudge(
            "“family” is missing: name who made the model, such as openai. "
            "A judge must not pass for independent of its own answers."
        )
    if not entry.family.isprintable():
        raise InvalidJudge("“family” has characters that nobody can see; write its name without them.")
    for name in filter(None, (entry.base_url_env, entry.api_key_env)):
        check_looks_like_variable(name)
    if entry.price:
        check_price(entry.price)
    if entry.template:
        check_template(entry.template, entry.params, entry.examples is not None)


def check_template(name: str, params: Mapping[str, Any], with_examples: bool) -> None:
    """Raise `InvalidJudge` for a template that there is not, or that cannot do what is wanted of it."""
    try:
        template = template_named(name)
    except UnknownTemplate:
        raise InvalidJudge(
            f"There is no prompt template “{name}”. Known are {', '.join(TEMPLATES)}; leave it out for the "
            "newest."
        ) from None
    if with_examples and not template.shows_examples:
        raise InvalidJudge(f"The prompt template “{name}” shows no examples. Use {NEWEST}, or no examples.")
    if params.get("corrections") and template.correction is None:
        raise InvalidJudge(
            f"The prompt template “{name}” never asks once more. Leave “corrections” out, or use {NEWEST}."
        )


def context_words(family: str, base_url_env: str, params: Mapping[str, Any]) -> list[str]:
    """A warning where nobody would notice that a server cuts questions; none for a scripted judge."""
    known = "context_tokens" in params or family.startswith("scripted")
    return [] if known or not base_url_env else [UNKNOWN_CONTEXT]


def check_looks_like_variable(name: str) -> None:
    """Raise `InvalidJudge` for what is no variable's name, without repeating it: it may be a key."""
    if not _VARIABLE.match(name):
        raise InvalidJudge(
            "Address and key are given by the name of an environment variable, such as OPENAI_API_KEY. What "
            "was given is no such name. If it was the key itself, it was not stored; set it there."
        )


def check_price(price: Price) -> None:
    """Raise `InvalidJudge` for a price that is no amount of dollars."""
    for amount in (price.input, price.output):
        if not amount.is_finite() or not 0 <= amount <= 1_000_000:
            raise InvalidJudge("A price is in US dollars per million tokens: a number from 0 to 1000000.")


def check_members(slugs: Sequence[str]) -> None:
    """Raise `InvalidJudge` unless these judges' names can make a panel."""
    if len(slugs) < FEWEST_JURORS:
        raise InvalidJudge(
            f"A panel needs at least {FEWEST_JURORS} jurors. Use a single model by its own name."
        )
    for slug in slugs:
        if slugs.count(slug) > 1:
            raise InvalidJudge(f"“{slug}” is in the panel twice; a juror has one voice.")


def stored_params(params: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters as they are stored: 0 and 0.0 are one number. Raises `InvalidJudge`."""
    try:
        check_params(params)
    except InvalidJudgeParams as problem:
        raise InvalidJudge(str(problem)) from None
    return {name: _stored(name, value) for name, value in params.items()}


def _stored(name: str, value: Any) -> Any:
    if isinstance(value, list):
        return [_stored(name, each) for each in value]
    if isinstance(value, str) and text_problem(value) is None:
        return value
    if isinstance(value, bool | int):
        return value
    if isinstance(value, float | Decimal) and math.isfinite(value):
        return int(value) if value == int(value) else float(value)
    raise InvalidJudge(f"The parameter “{name}” must be a number, a text, true or false, or a list of those.")
