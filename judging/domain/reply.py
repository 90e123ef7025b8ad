"""Read a juror's reply strictly. Every refusal has a reason code; no score is ever guessed or repaired."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from judging.domain.echo import Material
from judging.domain.model_names import is_same
from judging.domain.reasoning import without_reasoning
from judging.domain.reasons import SkipReason
from judging.domain.verdict_json import Found, breaks_off, holds_broken_verdict, is_part, verdicts
from judging.domain.verdicts import Score
from labeling.domain.criteria import CriteriaSpec, CriterionSpec

MAX_BYTES = 200_000
# More verdicts than that in one reply are not looked at one by one.
_MOST_VERDICTS = 10
# It only tells a refusal from other prose without a verdict.
_DECLINES = re.compile(
    r"(?:\A|\b(?:i|we)(?:'m| am|'re| are)? (?:\w+ ){0,2}?)"
    r"(?:can(?:no|')t|can not|won't|will not|unable to|not able to|not comfortable|refuse to) (?:\w+ ){0,2}?"
    r"(?:assist|help|comply|judg|evaluat|scor|rate\b|rating\b|grad|assess|provid|answer|fulfil|continu|engag"
    r"|participat|do (?:that|this))"
    r"|\bi(?:'m| am) sorry,? but|\bi (?:must |have to )?decline\b|\bas an ai\b"
    r"|es tut mir leid|kann ich nicht|je suis désolée?|je ne peux pas|lo siento|no puedo|mi dispiace"
    r"|não posso|het spijt me|przykro mi|не могу|üzgünüm"
    r"|抱歉|对不起|對不起|无法|申し訳|できません|죄송|لا أستطيع|माफ़ कीजिए",
    re.IGNORECASE,
)
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
    found = _the_verdict(text, (candidate, *row_texts), len(criteria.judged))
    if found.duplicate:
        raise Refused(SkipReason.DUPLICATE_KEY, f"The key “{found.duplicate}” stands twice in one object.")
    if found.constant:
        raise Refused(SkipReason.NOT_JSON, f"{found.constant} is not JSON.")
    entries = _entries(found.value, {criterion.name: criterion for criterion in criteria.judged})
    scores = tuple(_score(criterion, entries) for criterion in criteria.judged)
    return Parsed(scores, _sentence(found.value, "feedback"))


def check_model(asked: str, answered: str, params: Mapping[str, Any]) -> None:
    """Raise `Refused` (wrong_model) when another model answered than the one asked.

    `asked` is litellm's name with its provider prefix. With the parameter `expect_model` that very name must
    answer, and a provider that tells none cannot show that it did. Else a dated or sized variant of the asked
    name is the same model (see `judging.domain.model_names`), a deployment at Azure bears a name of the
    customer's own and is not compared, and a provider that tells no name is believed; `answers_as` is the
    name to expect where an alias is asked.
    """
    if pinned := params.get("expect_model"):
        _check_pinned(pinned, asked, answered)
        return
    answers_as = params.get("answers_as", "")
    if not answered or (asked.startswith("azure/") and not answers_as):
        return
    if not is_same(answers_as or asked, answered):
        raise Refused(SkipReason.WRONG_MODEL, f"“{answered}” answered where “{asked}” was asked.")


def _check_pinned(pinned: str, asked: str, answered: str) -> None:
    prefix = asked.partition("/")[0].lower() + "/"
    if pinned.strip().lower() not in (answered.lower(), answered.lower().removeprefix(prefix)):
        who = f"“{answered}” answered" if answered else "A model that was not named answered"
        raise Refused(SkipReason.WRONG_MODEL, f"{who}; only “{pinned}” may (expect_model).")


def check_context(params: Mapping[str, Any], prompt_tokens: int | None) -> None:
    """Raise `Refused` (context_too_long) where the model's context was full with the question alone.

    Some servers, Ollama among them, cut the beginning of what does not fit and say nothing. They report as
    many tokens as they took in, which is what gives them away.
    """
    context = params.get("context_tokens")
    if context is not None and prompt_tokens is not None and prompt_tokens >= context:
        raise Refused(
            SkipReason.CONTEXT_TOO_LONG,
            f"The question filled the model's context of {context} tokens: a part was likely cut off.",
        )


def storable(text: str) -> str:
    """The text with NUL and lone surrogates, which no database takes, replaced by U+FFFD."""
    return _UNSTORABLE.sub("\ufffd", text)


def _check_delivery(text: str, finish_reason: str, refusal: str) -> None:
    if finish_reason == "content_filter":
        raise Refused(SkipReason.CONTENT_FILTER, "The provider stopped the answer.")
    if refusal or finish_reason == "refusal":
        raise Refused(SkipReason.REFUSED, refusal[:300])
    if len(text) > MAX_BYTES or len(text.encode(errors="surrogatepass")) > MAX_BYTES:
        raise Refused(SkipReason.TOO_LONG, f"{len(text)} characters; at most {MAX_BYTES} bytes are read.")
    if finish_reason == "length":
        raise Refused(SkipReason.TRUNCATED, "The model reached its limit of output tokens.")


def _the_verdict(text: str, row_texts: tuple[str, ...], most_entries: int) -> Found:
    answer = without_reasoning(text)
    if answer is None:
        raise Refused(SkipReason.TRUNCATED, "The reply ends within its hidden reasoning.")
    found = list(verdicts(answer))
    if not found:
        raise _nothing_found(answer)
    own = _not_copied(found, row_texts, most_entries)
    if len(own) > 1:
        raise Refused(
            SkipReason.NOT_JSON, f"{len(own)} objects of the agreed shape; exactly one was asked for."
        )
    if not own:
        raise Refused(
            SkipReason.NOT_JSON, "The only verdict in the reply is copied from the judged material."
        )
    _check_alone(answer, found, own[0])
    return own[0]


def _not_copied(found: list[Found], row_texts: tuple[str, ...], most_entries: int) -> list[Found]:
    """The verdicts that do not stand in the judged material.

    What cannot become a verdict anyway, for there is too much of it, is not looked for: that could take long.
    """
    if len(found) > _MOST_VERDICTS:
        return found
    material = Material(row_texts)
    entries = [each.value["criteria"] for each in found]
    copied = [len(each) <= most_entries and material.holds_part_of(each) for each in entries]
    return [each for each, is_copy in zip(found, copied, strict=True) if not is_copy]


def _check_alone(answer: str, found: list[Found], own: Found) -> None:
    """Raise `Refused` where the verdict is only a part of the answer, or stands beside a broken one."""
    if breaks_off(answer):
        raise Refused(SkipReason.TRUNCATED, "The reply ends in the middle of its JSON.")
    if is_part(answer, own):
        raise Refused(SkipReason.NOT_JSON, "The verdict is only a part of the reply's JSON.")
    if holds_broken_verdict(answer, found):
        raise Refused(SkipReason.NOT_JSON, "There is a second verdict in the reply, in broken JSON.")


def _nothing_found(answer: str) -> Refused:
    if not answer:
        return Refused(SkipReason.EMPTY_REPLY)
    if breaks_off(answer):
        return Refused(SkipReason.TRUNCATED, "The reply ends in the middle of its JSON.")
    if '"criteria"' not in answer and _DECLINES.search(answer[:400].replace("’", "'")):
        return Refused(SkipReason.REFUSED, storable(answer[:300]))
    return Refused(SkipReason.NOT_JSON, "No JSON object of the agreed shape.")


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
