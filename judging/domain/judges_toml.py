"""Judges as code: models and panels in TOML, read and written by a pair of pure functions.

[[judge]]
slug = "careful"
kind = "model"
model = "openai/gpt-4o-mini"         # any name that litellm knows
family = "openai"
base_url_env = "VERA_JUROR_HOUSE_URL"  # optional, as are all below; variables' names, never their values
api_key_env = "OPENAI_API_KEY"
params = { temperature = 0 }
price = { input = 0.15, output = 0.6 } # US dollars per million tokens, where litellm does not know it
template = "juror-2"                 # the prompt's wording; left out: the newest, once something else changes
examples = { criteria_set = "support", rows = ["<content hash>"] } # settled tune rows, at most 8

[[judge]]
slug = "review"
kind = "panel"
members = ["careful", "literal", "quick"]
on_split = "majority"                # or "human"
"""

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from judging.domain.judges import ExampleChoice, InvalidJudge, ModelEntry, PanelEntry, Price
from labeling.domain.toml_tables import check_table, read_toml, toml_lines

type Entry = ModelEntry | PanelEntry

_MODEL: Mapping[str, type] = {
    "slug": str,
    "kind": str,
    "model": str,
    "family": str,
    "base_url_env": str,
    "api_key_env": str,
    "params": dict,
    "price": dict,
    "template": str,
    "examples": dict,
}
_PANEL: Mapping[str, type] = {"slug": str, "kind": str, "members": list, "on_split": str}
_PRICE: Mapping[str, type] = {"input": Decimal, "output": Decimal}
_EXAMPLES: Mapping[str, type] = {"criteria_set": str, "rows": list}
_HASH = re.compile(r"[0-9a-f]{64}")


def read_judges(text: str) -> list[Entry]:
    """The judges of a TOML text, in its order. Raises `InvalidJudge` naming the key and its place."""
    document = read_toml(text, InvalidJudge)
    check_table(document, {"judge": list}, "the file", InvalidJudge)
    tables = document.get("judge") or []
    if not tables:
        raise InvalidJudge("The file has no [[judge]]; add one.")
    entries = [_entry(table, f"judge {place}") for place, table in enumerate(tables, start=1)]
    _check_slugs([entry.slug for entry in entries])
    return entries


def write_judges(entries: Iterable[Entry]) -> str:
    """The TOML text that `read_judges` reads back as the same judges."""
    return "\n".join(_text(entry) for entry in entries)


def _entry(table: Any, place: str) -> Entry:
    if not isinstance(table, dict):
        raise InvalidJudge(f"{place}: this must be a table. Write it as [[judge]].")
    if slug := table.get("slug"):
        place = f"{place} (“{slug}”)"
    if table.get("kind") == "model":
        return _model(table, place)
    if table.get("kind") == "panel":
        return _panel(table, place)
    raise InvalidJudge(f"{place}: “kind” must be “model” or “panel”.")


def _model(table: Mapping[str, Any], place: str) -> ModelEntry:
    check_table(table, _MODEL, place, InvalidJudge)
    return ModelEntry(
        slug=_needed(table, "slug", place),
        model=_needed(table, "model", place),
        family=_needed(table, "family", place),
        base_url_env=table.get("base_url_env", ""),
        api_key_env=table.get("api_key_env", ""),
        params=table.get("params", {}),
        price=_price(table["price"], f"{place}, price") if "price" in table else None,
        template=table.get("template", ""),
        examples=_examples(table["examples"], f"{place}, examples") if "examples" in table else None,
    )


def _examples(table: Any, place: str) -> ExampleChoice:
    check_table(table, _EXAMPLES, place, InvalidJudge)
    rows = table.get("rows", [])
    if not rows or not all(isinstance(row, str) and _HASH.fullmatch(row) for row in rows):
        raise InvalidJudge(
            f"{place}: “rows” must be a list of rows' content hashes, as an export names them."
        )
    return ExampleChoice(_needed(table, "criteria_set", place), tuple(rows))


def _price(table: Any, place: str) -> Price:
    check_table(table, _PRICE, place, InvalidJudge)
    for key in _PRICE:
        if key not in table:
            raise InvalidJudge(f"{place}: “{key}” is missing.")
    return Price(Decimal(table["input"]), Decimal(table["output"]))


def _panel(table: Mapping[str, Any], place: str) -> PanelEntry:
    check_table(table, _PANEL, place, InvalidJudge)
    members = table.get("members", [])
    if not members or not all(isinstance(member, str) and member.isprintable() for member in members):
        raise InvalidJudge(f"{place}: “members” must be a list of judges' slugs.")
    on_split = table.get("on_split", "majority")
    if on_split not in ("majority", "human"):
        raise InvalidJudge(f"{place}: “on_split” must be “majority” or “human”.")
    return PanelEntry(_needed(table, "slug", place), tuple(members), on_split)


def _needed(table: Mapping[str, Any], key: str, place: str) -> str:
    value: str = table.get(key, "")
    if not value.strip():
        raise InvalidJudge(f"{place}: “{key}” is missing or empty.")
    return value


def _check_slugs(slugs: list[str]) -> None:
    for slug in slugs:
        if slugs.count(slug) > 1:
            raise InvalidJudge(f"The file has two judges with the slug “{slug}”; keep one.")


def _text(entry: Entry) -> str:
    values = _panel_values(entry) if isinstance(entry, PanelEntry) else _model_values(entry)
    return "\n".join(["[[judge]]", *toml_lines(values), ""])


def _panel_values(entry: PanelEntry) -> dict[str, Any]:
    return {
        "slug": entry.slug,
        "kind": "panel",
        "members": list(entry.members),
        "on_split": entry.on_split,
    }


def _model_values(entry: ModelEntry) -> dict[str, Any]:
    values = {
        "slug": entry.slug,
        "kind": "model",
        "model": entry.model,
        "family": entry.family,
        "base_url_env": entry.base_url_env,
        "api_key_env": entry.api_key_env,
        "params": dict(entry.params),
        "price": entry.price and {"input": entry.price.input, "output": entry.price.output},
        "template": entry.template,
        "examples": entry.examples and _example_values(entry.examples),
    }
    return {key: value for key, value in values.items() if value not in ("", None, {})}


def _example_values(examples: ExampleChoice) -> dict[str, Any]:
    return {"criteria_set": examples.criteria_set, "rows": list(examples.rows)}
