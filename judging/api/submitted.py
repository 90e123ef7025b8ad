"""What `POST candidates` takes: read strictly, every field at fault named."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest
from ninja.errors import HttpError, ValidationError

from labeling.domain.content import text_problem
from labeling.domain.sampling import Split
from labeling.formats.fields import MOST_META_KEYS, check_json, flag, kind, short_text, split, text
from labeling.formats.rows import Row, RowProblem
from labeling.formats.strict_json import StrictDecoder, quote
from labeling.services.imports import HASH

MOST_ROWS = 1000
MOST_BYTES = 10 * 1024 * 1024
_MOST_NAMED = 100  # fields at fault
_SPLITS = (HASH, *Split)
_FIELDS = frozenset(
    {
        "candidate",
        "request",
        "grounding",
        "criteria_text",
        "id",
        "generator_model",
        "generator_family",
        "truncated",
        "meta",
        "split",
    }
)

TOO_LARGE = f"At most {MOST_BYTES // 1024**2} MB are taken at once. Send the candidates in smaller portions."
TOO_MANY = f"At most {MOST_ROWS:,} candidates are taken at once. Send them in smaller portions."


@dataclass(frozen=True, slots=True)
class Submitted:
    """A delivery: whose rows, which, and the split of those that do not say."""

    criteria: str
    rows: list[Row]
    split: str


def read_submitted(request: HttpRequest) -> Submitted:
    """What was sent. Raises HttpError (400, 413) and ValidationError with the fields at fault."""
    sent = _json(_body(request))
    problems = _Problems()
    criteria, wanted = sent.get("criteria"), sent.get("split", HASH)
    if not isinstance(criteria, str) or not criteria:
        problems.add("criteria", "Name the criteria set by its slug.")
    elif problem := text_problem(criteria):
        problems.add("criteria", problem)
    if wanted not in _SPLITS:
        problems.add("split", f"Write one of {', '.join(_SPLITS)}, or leave it out: it is {HASH} then.")
    for name in sent.keys() - {"criteria", "candidates", "split"}:
        problems.add(name, "There is no such field here. Fields of a candidate stand within it.")
    rows = [
        row
        for number, item in enumerate(_items(sent, problems))
        if (row := _row(number, item, problems)) is not None
    ]
    problems.raise_any()
    return Submitted(str(criteria), rows, str(wanted))


class _Problems:
    """Fields at fault, with what is wrong with each."""

    def __init__(self) -> None:
        self._found: list[dict[str, Any]] = []

    def add(self, name: str, reason: str) -> None:
        shown = name if name.isprintable() else quote(name)
        self._found.append({"loc": ("body", shown[:120]), "msg": reason})

    def raise_any(self) -> None:
        """Raise ValidationError where there is a problem; of very many it names the first."""
        if len(self._found) > _MOST_NAMED:
            more = len(self._found) - _MOST_NAMED
            self._found[_MOST_NAMED:] = [{"loc": ("body", "…"), "msg": f"And {more} more are at fault."}]
        if self._found:
            raise ValidationError(self._found)


def _body(request: HttpRequest) -> bytes:
    length = request.META.get("CONTENT_LENGTH") or "0"
    if length.isdecimal() and int(length) > MOST_BYTES:
        raise HttpError(413, TOO_LARGE)
    try:
        body = request.body
    except RequestDataTooBig:
        raise HttpError(413, TOO_LARGE) from None
    if len(body) > MOST_BYTES:
        raise HttpError(413, TOO_LARGE)
    return body


def _json(body: bytes) -> Mapping[str, Any]:
    try:
        written = body.decode()
    except UnicodeDecodeError:
        raise HttpError(400, "What was sent is not UTF-8.") from None
    stripped = written.strip(" \t\r\n")
    try:
        value, end, problem = StrictDecoder().decode(stripped)
    except ValueError as error:
        raise HttpError(400, str(error)) from None
    if problem or end != len(stripped):
        raise HttpError(400, problem or "Something follows the JSON object. Send one object.")
    if not isinstance(value, dict):
        raise HttpError(400, 'Send one object: {"criteria": "…", "candidates": [{…}, …]}.')
    return value


def _items(sent: Mapping[str, Any], problems: _Problems) -> Sequence[Any]:
    items = sent.get("candidates")
    if not isinstance(items, list) or not items:
        problems.add("candidates", "Send a list with at least one candidate: [{…}, …].")
        return ()
    if len(items) > MOST_ROWS:
        raise HttpError(413, TOO_MANY)
    return items


def _row(number: int, item: Any, problems: _Problems) -> Row | None:
    at = f"candidates[{number}]"
    if not isinstance(item, dict):
        problems.add(at, f"This must be an object: {{…}}, not {kind(item)}.")
        return None
    try:
        return _read(number, item)
    except RowProblem as problem:
        problems.add(f"{at}.{problem.field}" if problem.field else at, problem.reason)
        return None


def _read(number: int, item: Mapping[str, Any]) -> Row:
    if unknown := sorted(item.keys() - _FIELDS):
        reason = "There is no such field. Put what you want kept beside the candidate into “meta”."
        raise RowProblem(unknown[0] if unknown[0].isprintable() else quote(unknown[0]), reason)
    if item.get("candidate") is None:
        raise RowProblem("candidate", "The output under evaluation is missing: give its text.")
    return Row(
        line=number,
        output=text(item, "candidate"),
        request=text(item, "request"),
        grounding=text(item, "grounding"),
        criteria_text=text(item, "criteria_text"),
        external_id=short_text(item, "id", 200),
        generator_model=short_text(item, "generator_model", 200),
        generator_family=short_text(item, "generator_family", 80),
        truncated=flag(item, "truncated", default=False),
        split=split(item),
        meta=_meta(item),
    )


def _meta(item: Mapping[str, Any]) -> Mapping[str, Any]:
    meta = item.get("meta")
    if meta is None:
        return {}
    if not isinstance(meta, dict):
        raise RowProblem("meta", "This must be an object: {…}.")
    if len(meta) > MOST_META_KEYS:
        raise RowProblem("meta", f"This has {len(meta)} keys; at most {MOST_META_KEYS} are kept.")
    check_json(meta, "meta")
    return meta
