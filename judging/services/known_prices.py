"""Prices that the model library ships, read from its file: a page that shows one need not load it."""

import json
import logging
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

log = logging.getLogger(__name__)

_FILE = "model_prices_and_context_window_backup.json"
_MILLION = 1_000_000
_ANSWERING = {"chat", "completion", "responses"}
# Families of providers that the library takes for one another where it looks for a price.
_ALIKE = ("vertex_ai", "fireworks_ai", "bedrock")
# Of these models the library has no price to look up: it asks their server, or their answers tell the cost.
_TOLD_BY_ANSWERS = {"huggingface", "ollama", "ollama_chat", "openrouter", "perplexity", "litellm_proxy"}


@dataclass(frozen=True, slots=True)
class _Known:
    """US dollars per million tokens in and out, and whose model it is."""

    provider: str
    price: tuple[Decimal, Decimal]


def known_price(model: str) -> tuple[Decimal, Decimal] | None:
    """US dollars per million tokens (input, output) that are booked for a model without a price of its own.

    `model` is the library's name for it, with or without its provider. None where the file does not tell.
    """
    provider, slash, own_name = model.partition("/")
    if slash and provider in _TOLD_BY_ANSWERS:
        return None
    for name in (model, own_name):
        found = _shipped().get(name.lower())
        if found and (not slash or _is_of(found.provider, provider)):
            return found.price
    return None


def _is_of(known: str, asked: str) -> bool:
    return known == asked or any(known.startswith(each) and asked.startswith(each) for each in _ALIKE)


@cache
def _shipped() -> dict[str, _Known]:
    """By name in small letters; nothing where the library, or its file, is not as it was."""
    spec = find_spec("litellm")
    try:
        text = (
            Path(spec.origin).with_name(_FILE).read_text(encoding="utf-8") if spec and spec.origin else "{}"
        )
        entries = json.loads(text, parse_float=Decimal)
        return {name.lower(): known for name, entry in entries.items() if (known := _read(entry))}
    except (OSError, ValueError, AttributeError) as error:
        log.warning("Prices that the model library ships cannot be read: %s", error)
        return {}


def _read(entry: Any) -> _Known | None:
    if not isinstance(entry, dict) or entry.get("mode") not in _ANSWERING:
        return None
    asked, answered = entry.get("input_cost_per_token"), entry.get("output_cost_per_token")
    if not isinstance(asked, int | Decimal) or not isinstance(answered, int | Decimal):
        return None
    return _Known(
        str(entry.get("litellm_provider", "")), (_MILLION * Decimal(asked), _MILLION * Decimal(answered))
    )
