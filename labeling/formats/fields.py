"""Reading the fields of a row strictly: of the right type and storable, or a RowProblem that names them."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from labeling.domain.content import text_problem
from labeling.domain.sampling import Split
from labeling.domain.verdicts import HumanVerdict, parse_verdict
from labeling.formats.rows import RowProblem
from labeling.formats.strict_json import quote

MOST_META_KEYS = 200
DEEPEST_META = 20

type Fields = Mapping[str, Any]

_RAREST = 1e-6  # a row that is drawn more rarely would outweigh a million others


def text(fields: Fields, name: str, *, at: str = "") -> str:
    """A text, "" where it is absent or null."""
    value = fields.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise RowProblem(at or name, f"This must be text, not {kind(value)}.")
    check_storable(value, at or name)
    return value


def short_text(fields: Fields, name: str, longest: int) -> str:
    """A text of at most `longest` characters; a whole number is taken as its digits."""
    value = fields.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    short = text({name: value}, name)
    if len(short) > longest:
        raise RowProblem(name, f"This has {len(short)} characters; at most {longest} are allowed.")
    return short


def flag(fields: Fields, name: str, *, default: bool, at: str = "") -> bool:
    """true or false, `default` where it is absent or null."""
    value = fields.get(name)
    if value is None:
        return default
    if not isinstance(value, bool):
        raise RowProblem(at or name, f"This must be true or false, not {quote(value)}.")
    return value


def verdict(value: object, at: str) -> HumanVerdict:
    """A person's verdict."""
    try:
        return parse_verdict(value)
    except ValueError as error:
        raise RowProblem(at, str(error)) from error


def split(fields: Fields) -> str:
    """The row's own split, "" where it leaves that to the import."""
    named = text(fields, "split")
    if named and named not in set(Split):
        raise RowProblem("split", f"{quote(named)} is no split: write “tune” or “certify”.")
    return named


def chance(fields: Fields) -> tuple[float | None, str]:
    """The row's probability of having been chosen, None where it is not given, and its split.

    null and "unknown" say that nobody knows it, as of rows that were chosen because judges disagreed: such a
    row is for tuning, whatever the import says, since kappa of such rows is the kappa of nothing.
    """
    named = split(fields)
    if "probability" not in fields:
        return None, named
    value = fields["probability"]
    if value is None or value == "unknown":
        if named == Split.CERTIFY:
            raise RowProblem(
                "split",
                "A row whose probability is unknown certifies no judge. Write “tune” or leave the split out.",
            )
        return None, str(Split.TUNE)
    if isinstance(value, bool) or not isinstance(value, int | float) or not _RAREST <= value <= 1:
        raise RowProblem(
            "probability",
            f"This must be a number from 0.000001 to 1, or “unknown”, not {quote(value)}.",
        )
    return float(value), named


def threshold(fields: Fields) -> Decimal | None:
    """The pass threshold that the row's criteria belong to."""
    value = fields.get("threshold")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1:
        raise RowProblem("threshold", f"This must be a number above 0 and at most 1, not {quote(value)}.")
    return Decimal(str(value))


def entries(fields: Fields, name: str) -> Sequence[Fields]:
    """A list of objects, empty where it is absent or null."""
    value = fields.get(name)
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise RowProblem(name, "This must be a list of objects: [{…}, …].")
    return value


def scores(fields: Fields, at: str) -> dict[str, int]:
    """Marks by criterion; one that is null was not given."""
    value = fields.get("scores")
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise RowProblem(at, 'This must be an object such as {"criterion": 1}.')
    given = {name: score for name, score in value.items() if score is not None}
    for name, score in given.items():
        if not isinstance(score, int) or isinstance(score, bool):
            raise RowProblem(at, f"The score of {quote(name)} must be a whole number, not {quote(score)}.")
    return given


def meta(fields: Fields, known: frozenset[str]) -> dict[str, Any]:
    """What the row carries beyond the known fields: its `meta` object and its columns of other names."""
    extra = {name: value for name, value in fields.items() if name not in known and name != "meta"}
    own = fields.get("meta")
    kept = dict(own) if isinstance(own, dict) else {}
    if own is not None and not isinstance(own, dict):
        raise RowProblem("meta", "This must be an object: {…}.")
    if twice := next((name for name in extra if name in kept), None):
        raise RowProblem("meta", f"{quote(twice)} is both a column and a key of meta; keep one.")
    kept |= extra
    if len(kept) > MOST_META_KEYS:
        raise RowProblem(
            "", f"The row has {len(kept)} further columns; at most {MOST_META_KEYS} are kept. Leave some out."
        )
    for name, value in kept.items():
        check_storable(name, "meta")
        check_json(value, quote(name).strip("'"))
    return kept


def check_json(value: Any, at: str, depth: int = 0) -> None:
    """Raise RowProblem where some text within `value` cannot be stored or it is nested too deeply."""
    if isinstance(value, str):
        check_storable(value, at)
    elif depth > DEEPEST_META:
        raise RowProblem(at, f"This is nested more than {DEEPEST_META} levels deep.")
    elif isinstance(value, dict):
        for name, inner in value.items():
            check_storable(name, at)
            check_json(inner, at, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            check_json(inner, at, depth + 1)


def check_storable(value: str, at: str) -> None:
    """Raise RowProblem where a database could not keep this text exactly."""
    if problem := text_problem(value):
        raise RowProblem(at, problem)


def kind(value: object) -> str:
    """What a JSON value is, in words."""
    words = {dict: "an object", list: "a list", bool: "true or false", int: "a number", float: "a number"}
    return words.get(type(value), "null")
