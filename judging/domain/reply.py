"""Read a juror's reply strictly. Every refusal has a reason code; no score is ever guessed or repaired."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from judging.domain.reasons import SkipReason
from judging.domain.verdicts import Score
from labeling.domain.criteria import CriteriaSpec, CriterionSpec

MAX_BYTES = 200_000
# The agreed shape is three levels deep. Objects below this many open braces are not looked at, which bounds
# how often a character is read and so keeps the search linear.
_MAX_DEPTH = 8

_OBJECT_MARKS = re.compile(r'["{}\\\n]')
_REASONING_END = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_FENCE = re.compile(r"\A```[a-zA-Z]*\s*|\s*```\Z")
_WHOLE = re.compile(r"-?\d+\.0+")
_DECLINES = re.compile(
    r"\b(?:i(?:'m| am) (?:sorry|unable|not able)|i (?:can(?:no|')t|won't|will not|must decline|decline)"
    r"|as an ai\b|not able to (?:assist|help|evaluate)|cannot (?:assist|help|comply|evaluate))",
    re.IGNORECASE,
)
_ESCAPED_VERDICT = re.compile(r'\\"criteria\\+"\s*:\s*\[\s*\{[^{}]*\\"score\\')
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class Refused(Exception):
    """The reply is not read as a verdict: `code` says why, `detail` what exactly was found."""

    def __init__(self, code: SkipReason, detail: str = "") -> None:
        super().__init__(f"{code}: {detail}" if detail else str(code))
        self.code = code
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Parsed:
    """A reply that may be counted: one score per judged criterion, in the criteria's order."""

    scores: tuple[Score, ...]
    feedback: str


@dataclass(frozen=True, slots=True)
class _Found:
    """A JSON object found in a text, and what its parts say that strict JSON forbids."""

    value: dict[str, Any]
    duplicate: str
    constant: str


def parse_reply(
    text: str,
    criteria: CriteriaSpec,
    finish_reason: str,
    candidate: str,
    *,
    refusal: str = "",
    row_texts: tuple[str, ...] = (),
) -> Parsed:
    """The scores in a reply, or `Refused`.

    Around the one JSON object of the agreed shape there may be reasoning or a code fence. Unknown keys
    beside the agreed ones are tolerated and decide nothing; `feedback` and `reason` may be missing or null,
    names and scores may not. A score is an integer, also written `1.0` (an integer to JSON Schema too); a
    boolean, a string or `1.5` is not. `refusal` is the provider's own field for it. An object that the
    candidate (or a text in `row_texts`: request, grounding) contains is never read as the verdict.
    """
    _check_delivery(text, finish_reason, refusal)
    found = _the_verdict(text, (candidate, *row_texts))
    if found.duplicate:
        raise Refused(SkipReason.DUPLICATE_KEY, f"The key “{found.duplicate}” stands twice in one object.")
    if found.constant:
        raise Refused(SkipReason.NOT_JSON, f"{found.constant} is not JSON.")
    entries = _entries(found.value, {criterion.name: criterion for criterion in criteria.judged})
    scores = tuple(_score(criterion, entries) for criterion in criteria.judged)
    return Parsed(scores, _sentence(found.value, "feedback"))


def check_model(asked: str, answered: str, *, answers_as: str = "") -> None:
    """Raise `Refused` (wrong_model) when another model answered than the one asked.

    `asked` is litellm's name with its provider prefix. A dated or sized variant of the asked name is the same
    model; a deployment at Azure bears a name of the customer's own and is not compared; a provider that tells
    no name is believed. `answers_as` is the name to expect where an alias is asked.
    """
    if not answered or (asked.startswith("azure/") and not answers_as):
        return
    expected = _bare(answers_as or asked).removesuffix("-latest")
    rest = _bare(answered).removeprefix(expected)
    if rest == _bare(answered) or rest[:1] not in ("", "-", ":", "@"):
        raise Refused(SkipReason.WRONG_MODEL, f"“{answered}” answered where “{asked}” was asked.")


def _bare(model: str) -> str:
    return model.rsplit("/", 1)[-1].lower()


def storable(text: str) -> str:
    """The text with NUL and lone surrogates, which no database takes, replaced by U+FFFD."""
    return _UNSTORABLE.sub("\ufffd", text)


def holds_verdict(text: str) -> bool:
    """Whether a text contains JSON of the reply's shape, plainly or escaped inside other JSON."""
    may_score = '"score"' in text or "\\u" in text
    plain = may_score and any(
        "score" in entry for each in _verdicts(text) for entry in each.value["criteria"]
    )
    return plain or bool(_ESCAPED_VERDICT.search(text))


def _check_delivery(text: str, finish_reason: str, refusal: str) -> None:
    if finish_reason == "content_filter":
        raise Refused(SkipReason.CONTENT_FILTER, "The provider stopped the answer.")
    if refusal or finish_reason == "refusal":
        raise Refused(SkipReason.REFUSED, refusal[:300])
    if len(text) > MAX_BYTES or len(text.encode(errors="surrogatepass")) > MAX_BYTES:
        raise Refused(SkipReason.TOO_LONG, f"{len(text)} characters; at most {MAX_BYTES} bytes are read.")
    if finish_reason == "length":
        raise Refused(SkipReason.TRUNCATED, "The model reached its limit of output tokens.")
    if not text.strip():
        raise Refused(SkipReason.EMPTY_REPLY)


def _the_verdict(text: str, row_texts: tuple[str, ...]) -> _Found:
    answer = _without_reasoning(text)
    found = list(_verdicts(answer))
    try:
        own = [verdict for verdict in found if not _is_echo(verdict, row_texts)]
    except RecursionError:
        raise Refused(SkipReason.NOT_JSON, "The reply is nested far deeper than a verdict.") from None
    if len(own) == 1:
        return own[0]
    if len(own) > 1:
        raise Refused(
            SkipReason.NOT_JSON, f"{len(own)} objects of the agreed shape; exactly one was asked for."
        )
    if found:
        raise Refused(
            SkipReason.NOT_JSON, "The only verdict in the reply is copied from the judged material."
        )
    raise _nothing_found(answer)


def _without_reasoning(text: str) -> str:
    """What follows the last end of hidden reasoning; the whole text when it starts with JSON or has none."""
    stripped = text.strip()
    if stripped.startswith("{"):
        return stripped
    return _FENCE.sub("", _REASONING_END.split(stripped)[-1].strip())


def _nothing_found(answer: str) -> Refused:
    if answer.startswith("{") and _scan(answer)[1]:
        return Refused(SkipReason.TRUNCATED, "The reply ends in the middle of its JSON.")
    if "{" not in answer and _DECLINES.search(answer[:400].replace("’", "'")):
        return Refused(SkipReason.REFUSED, storable(answer[:300]))
    return Refused(SkipReason.NOT_JSON, "No JSON object of the agreed shape.")


def _verdicts(text: str) -> Iterator[_Found]:
    """Every outermost JSON object of the reply's shape in a text, in time linear in its length."""
    if not _may_hold_verdict(text):
        return
    read_to = 0
    for start, end in _scan(text)[0]:
        # The slice keeps a failure cheap: the JSON error counts the lines before it, which for a
        # position in the whole text would make many small failures quadratic.
        found = _read_object(text[start:end]) if start >= read_to else None
        if found is not None:
            read_to = end
            if _has_shape(found.value):
                yield found


def _may_hold_verdict(text: str) -> bool:
    return '"criteria"' in text or "\\u" in text


def _scan(text: str) -> tuple[list[tuple[int, int]], bool]:
    """Where closed objects start and end, in order, and whether one is still open at the end of the text.

    Quotes count only inside braces. A line break inside a string means that it was no JSON string, so
    whatever was open is given up: prose with a lone brace or quote does not hide what follows it.
    """
    spans: list[tuple[int, int]] = []
    stack: list[int] = []
    in_string = False
    escaped_at = -1
    for mark in _OBJECT_MARKS.finditer(text):
        char, at = mark[0], mark.start()
        if at == escaped_at:
            continue
        if char == "\\" and in_string:
            escaped_at = at + 1
        elif char == '"' and stack:
            in_string = not in_string
        elif char == "\n" and in_string:
            stack.clear()
            in_string = False
        elif char == "{" and not in_string:
            stack.append(at)
        elif char == "}" and not in_string and stack:
            start = stack.pop()
            if len(stack) < _MAX_DEPTH:
                spans.append((start, at + 1))
    return sorted(spans), bool(stack)


def _read_object(text: str) -> _Found | None:
    """A text read as one JSON object; None when it is not JSON. Notes what strict JSON forbids."""
    if not _may_hold_verdict(text):
        return None
    duplicates: list[str] = []
    constants: list[str] = []

    def keep(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        counted = Counter(key for key, _ in pairs)
        duplicates.extend(key for key, times in counted.items() if times > 1)
        return dict(pairs)

    try:
        value = json.loads(
            text, object_pairs_hook=keep, parse_constant=constants.append, parse_float=_exact_number
        )
    except (ValueError, RecursionError):
        return None
    return _Found(value, next(iter(duplicates), ""), next(iter(constants), ""))


def _exact_number(literal: str) -> int | float:
    return int(literal.partition(".")[0]) if _WHOLE.fullmatch(literal) else float(literal)


def _has_shape(value: dict[str, Any]) -> bool:
    entries = value.get("criteria")
    return isinstance(entries, list) and all(isinstance(entry, dict) for entry in entries)


def _is_echo(found: _Found, row_texts: tuple[str, ...]) -> bool:
    """Whether the entries stand in the judged material, laid out or escaped in whatever way."""
    entries = found.value["criteria"]
    if not entries:
        return False
    squashed = _squashed(json.dumps(entries, ensure_ascii=False))
    for text in row_texts:
        if squashed in _squashed(text):
            return True
        if any(_said(theirs.value["criteria"]) == _said(entries) for theirs in _verdicts(text)):
            return True
    return False


def _said(entries: list[dict[str, Any]]) -> list[list[Any]]:
    return [[entry.get(key) for key in ("name", "score", "reason")] for entry in entries]


def _squashed(text: str) -> str:
    return re.sub(r'[\s\\"]+', "", text)


def _entries(reply: Mapping[str, Any], asked: Mapping[str, CriterionSpec]) -> dict[str, dict[str, Any]]:
    """The reply's entries by name. Raises `Refused` for a name that is missing, unknown or given twice."""
    entries: dict[str, dict[str, Any]] = {}
    for entry in reply["criteria"]:
        name = entry.get("name")
        if not isinstance(name, str) or name not in asked:
            raise Refused(
                SkipReason.UNKNOWN_CRITERION, f"No criterion is called {storable(repr(name)[:100])}."
            )
        if name in entries:
            raise Refused(SkipReason.DUPLICATE_KEY, f"The criterion “{name}” is scored twice.")
        entries[name] = entry
    return entries


def _score(criterion: CriterionSpec, entries: Mapping[str, dict[str, Any]]) -> Score:
    entry = entries.get(criterion.name, {})
    if "score" not in entry:
        raise Refused(SkipReason.MISSING_CRITERION, f"No score for “{criterion.name}”.")
    score = entry["score"]
    if type(score) is not int or not criterion.scale_min <= score <= criterion.scale_max:
        raise Refused(
            SkipReason.OUT_OF_SCALE,
            f"{storable(repr(score)[:40])} for “{criterion.name}”; "
            f"the scale is {criterion.scale_min} to {criterion.scale_max}.",
        )
    return Score(criterion.name, score, _sentence(entry, "reason"))


def _sentence(holder: Mapping[str, Any], key: str) -> str:
    """The text under a key, "" when there is none. Raises `Refused` when it is something else."""
    text = holder.get(key)
    if text is not None and not isinstance(text, str):
        raise Refused(SkipReason.NOT_JSON, f"“{key}” is not a text.")
    return storable(text or "").strip()
