"""Criteria as rows state them: a text of the row's own, or the list of the version's criteria."""

from collections.abc import Mapping, Sequence
from typing import Any

from labeling.domain.criteria import CriterionSpec
from labeling.formats.fields import Fields, check_json, check_storable, kind
from labeling.formats.rows import RowProblem, StatedCriterion
from labeling.formats.strict_json import quote

_KINDS = {
    "name": (str, "text"),
    "description": (str, "text"),
    "weight": (int, "a whole number"),
    "required": (bool, "true or false"),
    "scale": (list, "a list of two whole numbers"),
    "minimum": (int, "a whole number"),
    "strategy": (str, "text"),
    "params": (dict, "an object"),
}


def read_criteria(fields: Fields) -> tuple[str, tuple[StatedCriterion, ...]]:
    """The row's own criteria text ("" if none) and the version's criteria as it states them (or none)."""
    value = fields.get("criteria")
    if value is None:
        return "", ()
    if isinstance(value, str):
        check_storable(value, "criteria")
        return value, ()
    if not isinstance(value, list) or not value:
        raise RowProblem("criteria", f"This must be text or a list of criteria, not {kind(value)}.")
    return "", tuple(_read_criterion(entry, f"criteria[{number}]") for number, entry in enumerate(value, 1))


def _read_criterion(entry: object, at: str) -> StatedCriterion:
    if not isinstance(entry, dict) or not {"name", "description"} <= entry.keys():
        raise RowProblem(at, "A criterion must be an object with name and description.")
    if unknown := next((name for name in entry if name not in _KINDS), None):
        raise RowProblem(at, f"{quote(unknown)} says nothing about a criterion. Leave it out.")
    check_json(entry, at)
    stated = dict(entry)
    for name, value in entry.items():
        _check_kind(name, value, f"{at}.{name}")
    if "scale" in stated:
        stated["scale_min"], stated["scale_max"] = _read_scale(stated.pop("scale"), f"{at}.scale")
    return stated


def _check_kind(name: str, value: object, at: str) -> None:
    wanted, words = _KINDS[name]
    if name == "minimum" and value is None:
        return
    if not isinstance(value, wanted) or (wanted is int and isinstance(value, bool)):
        raise RowProblem(at, f"This must be {words}, not {quote(value)}.")


def _read_scale(value: Sequence[Any], at: str) -> tuple[int, int]:
    if len(value) != 2 or not all(type(end) is int for end in value):
        raise RowProblem(at, f"This must be a list of two whole numbers, not {quote(value)}.")
    return value[0], value[1]


def stated_spec(stated: StatedCriterion) -> CriterionSpec:
    """The criterion that a row states; what it leaves open makes it binary and required."""
    return CriterionSpec(**{"minimum": _usual_minimum(stated)} | dict(stated))


def state(criterion: CriterionSpec) -> dict[str, Any]:
    """The entry of a row that `stated_spec` reads back as this criterion; what is usual stays unsaid."""
    entry: dict[str, Any] = {"name": criterion.name, "description": criterion.description}
    scale = [criterion.scale_min, criterion.scale_max]
    unusual = {
        "weight": (criterion.weight, 1),
        "required": (criterion.required, True),
        "scale": (scale, [0, 1]),
        "strategy": (criterion.strategy, "judge"),
        "params": (dict(criterion.params), {}),
    }
    entry |= {name: value for name, (value, usual) in unusual.items() if value != usual}
    binary = {"required": criterion.required, "scale_min": scale[0], "scale_max": scale[1]}
    return entry if criterion.minimum == _usual_minimum(binary) else entry | {"minimum": criterion.minimum}


def _usual_minimum(stated: Mapping[str, Any]) -> int | None:
    binary = (stated.get("scale_min", 0), stated.get("scale_max", 1)) == (0, 1)
    return 1 if binary and stated.get("required", True) else None
