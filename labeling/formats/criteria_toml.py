"""Criteria as code: criteria sets in TOML, read and written by a pair of pure functions.

[[criteria_set]]
slug = "meeting-summaries"
name = "Meeting summaries"
threshold = 0.7                      # optional, as are all below but the criteria
policy = { bar = 0.65, min_rows = 30 }

[[criteria_set.criterion]]
name = "faithful"
description = "Says nothing the notes do not say."
scale = "binary"                     # or "graded" (1 to 5), or [lowest, highest]
minimum = 1                          # what a required one must reach; 1 where the scale is binary
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from labeling.domain.criteria import JUDGE, CriteriaSpec, CriterionSpec, InvalidCriteria, check_criteria
from labeling.domain.toml_tables import check_table, read_toml, toml_lines, toml_value

SCALES = {"binary": (0, 1), "graded": (1, 5)}

_SETTINGS: Mapping[str, type] = {
    "labels_per_row": int,
    "double_share": Decimal,
    "double_rows": int,
    "repeat_share": Decimal,
    "shows_labels": bool,
    "daily_goal": int,
    "rows_goal": int,
    "on_split": str,
    "on_skip": str,
    "public_badge": bool,
    "audit_share": Decimal,
}
_POLICY: Mapping[str, type] = {
    "rule": str,
    "bar": Decimal,
    "min_rows": int,
    "min_per_class": int,
    "min_coverage": Decimal,
    "max_age_days": int,
    "demand_ordering": bool,
    "demand_human_ceiling": bool,
    "looks": list,
    "n_max": int,
}
_SET: Mapping[str, type] = {
    "slug": str,
    "name": str,
    "description": str,
    "threshold": Decimal,
    "policy": dict,
    "criterion": list,
    **_SETTINGS,
}
_CRITERION: Mapping[str, type] = {
    "name": str,
    "description": str,
    "weight": int,
    "required": bool,
    "scale": object,
    "minimum": int,
    "strategy": str,
    "params": dict,
}


@dataclass(frozen=True, slots=True)
class SetEntry:
    """One criteria set of a file. `settings` holds only what the file names, policy included."""

    slug: str
    name: str
    description: str
    spec: CriteriaSpec
    settings: Mapping[str, Any]


def read_criteria(text: str) -> list[SetEntry]:
    """The criteria sets of a TOML text, checked. Raises `InvalidCriteria` naming the key and its place."""
    document = read_toml(text, InvalidCriteria)
    check_table(document, {"criteria_set": list}, "the file", InvalidCriteria)
    tables = document.get("criteria_set") or []
    if not tables:
        raise InvalidCriteria("The file has no [[criteria_set]]; add one.")
    entries = [_entry(table, f"criteria_set {place}") for place, table in enumerate(tables, start=1)]
    _check_slugs([entry.slug for entry in entries])
    return entries


def write_criteria(entries: Iterable[SetEntry]) -> str:
    """The TOML text that `read_criteria` reads back as the same criteria sets."""
    return "\n".join(_set_text(entry) for entry in entries)


def spec_text(spec: CriteriaSpec) -> str:
    """A version's content as TOML, for reading and comparing."""
    return "\n".join(
        [f"threshold = {toml_value(spec.threshold)}\n", *(_criterion_text(item) for item in spec.criteria)]
    )


def _entry(table: Any, place: str) -> SetEntry:
    check_table(table, _SET, place, InvalidCriteria)
    slug = _needed(table, "slug", place)
    place = f"{place} (“{slug}”)"
    policy = table.get("policy", {})
    check_table(policy, _POLICY, f"{place}, policy", InvalidCriteria)
    criteria = [
        _criterion(item, f"{place}, criterion {number}")
        for number, item in enumerate(table.get("criterion", []), start=1)
    ]
    spec = CriteriaSpec(tuple(criteria), Decimal(table.get("threshold", "0.7")))
    try:
        check_criteria(spec)
    except InvalidCriteria as error:
        raise InvalidCriteria(f"{place}: {error}") from error
    return SetEntry(
        slug=slug,
        name=_needed(table, "name", place),
        description=table.get("description", ""),
        spec=spec,
        settings={key: table[key] for key in _SETTINGS if key in table} | policy,
    )


def _criterion(table: Any, place: str) -> CriterionSpec:
    check_table(table, _CRITERION, place, InvalidCriteria)
    scale_min, scale_max = _scale(table.get("scale", "binary"), place)
    required = table.get("required", True)
    binary = (scale_min, scale_max) == SCALES["binary"]
    return CriterionSpec(
        name=_needed(table, "name", place),
        description=_needed(table, "description", place),
        weight=table.get("weight", 1),
        required=required,
        scale_min=scale_min,
        scale_max=scale_max,
        # Of a yes-or-no scale only “yes” can be good enough; on any other scale somebody has to say.
        minimum=table.get("minimum", 1 if required and binary else None),
        strategy=table.get("strategy", JUDGE),
        params=table.get("params", {}),
    )


def _scale(value: Any, place: str) -> tuple[int, int]:
    if isinstance(value, str) and value in SCALES:
        return SCALES[value]
    if isinstance(value, list) and len(value) == 2 and all(type(end) is int for end in value):
        return value[0], value[1]
    raise InvalidCriteria(f"{place}: “scale” must be “binary”, “graded” or [lowest, highest].")


def _needed(table: Mapping[str, Any], key: str, place: str) -> str:
    value: str = table.get(key, "")
    if not value.strip():
        raise InvalidCriteria(f"{place}: “{key}” is missing or empty.")
    return value


def _check_slugs(slugs: list[str]) -> None:
    for slug in slugs:
        if slugs.count(slug) > 1:
            raise InvalidCriteria(f"The file has two criteria sets with the slug “{slug}”; keep one.")


def _set_text(entry: SetEntry) -> str:
    head = {
        "slug": entry.slug,
        "name": entry.name,
        "description": entry.description,
        "threshold": entry.spec.threshold,
    }
    settings = {key: entry.settings[key] for key in _SETTINGS if key in entry.settings}
    policy = {key: entry.settings[key] for key in _POLICY if key in entry.settings}
    return "\n".join(
        [
            "[[criteria_set]]",
            *toml_lines(head | settings | ({"policy": policy} if policy else {})),
            "",
            *(_criterion_text(criterion) for criterion in entry.spec.criteria),
        ]
    )


def _criterion_text(criterion: CriterionSpec) -> str:
    values = {
        "name": criterion.name,
        "description": criterion.description,
        "weight": criterion.weight,
        "required": criterion.required,
        "scale": _scale_value(criterion),
        "minimum": criterion.minimum,
        "strategy": criterion.strategy,
        "params": dict(criterion.params),
    }
    kept = {key: value for key, value in values.items() if value is not None and value != {}}
    return "\n".join(["[[criteria_set.criterion]]", *toml_lines(kept), ""])


def _scale_value(criterion: CriterionSpec) -> str | list[int]:
    ends = (criterion.scale_min, criterion.scale_max)
    return next((name for name, known in SCALES.items() if known == ends), list(ends))
