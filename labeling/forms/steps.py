"""Steps of editing a list of forms without a script: a button adds, takes out or moves one of them."""

from collections.abc import Mapping
from typing import Any

from django.forms import BaseFormSet, Field
from django.http import QueryDict


def take_step(data: QueryDict, prefix: str, fields: Mapping[str, Field]) -> int | None:
    """Change `data` as its button `act` says: "add", or "up-2", "down-2", "remove-2", "keep-2".

    What else was typed stays. Returns the place of the form that was added, moved, taken out or kept; None
    for any other word, which changes nothing.
    """
    total = _whole(data.get(f"{prefix}-TOTAL_FORMS", ""))
    step, _, place = data.get("act", "").partition("-")
    at = _whole(place)
    if total is None:
        return None
    if step == "add":
        _add(data, prefix, fields, total)
        return total
    if at is None or at >= total:
        return None
    if step in {"remove", "keep"}:
        data[f"{prefix}-{at}-DELETE"] = "on" if step == "remove" else ""
        return at
    other = at + {"up": -1, "down": 1}.get(step, 0)
    if other == at or not 0 <= other < total:
        return None
    _swap(data, prefix, fields, at, other)
    return other


def focus_added(formset: "BaseFormSet[Any]", data: QueryDict, at: int | None, name: str) -> int | None:
    """Have a form that was just added begin in its field `name`; else where buttons keep the focus."""
    if at is None or data.get("act") != "add":
        return at
    if at < len(formset.forms):
        formset.forms[at].fields[name].widget.attrs["autofocus"] = True
    return None


def _add(data: QueryDict, prefix: str, fields: Mapping[str, Field], total: int) -> None:
    data[f"{prefix}-TOTAL_FORMS"] = str(total + 1)
    for name, field in fields.items():
        if field.initial is not None:
            data[f"{prefix}-{total}-{name}"] = str(field.initial)


def _swap(data: QueryDict, prefix: str, fields: Mapping[str, Field], one: int, other: int) -> None:
    """Let two forms change places, each with all that was typed."""
    for name in (*fields, "DELETE"):
        keys = f"{prefix}-{one}-{name}", f"{prefix}-{other}-{name}"
        values = [data.pop(key, None) for key in keys]
        for key, value in zip(reversed(keys), values, strict=True):
            if value is not None:
                data.setlist(key, [str(each) for each in value])


def _whole(word: str) -> int | None:
    return int(word) if word.isascii() and word.isdecimal() and len(word) < 5 else None
