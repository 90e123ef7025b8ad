"""What a judge is asked: the criteria, then the row's texts as fenced data. Nothing else travels."""

import re
from typing import Any

from judging.domain.examples import Examples
from judging.domain.prompt_juror_1 import JUROR_1
from judging.domain.prompt_juror_2 import JUROR_2
from judging.domain.prompt_parts import Message, Template, fenced_parts
from judging.domain.verdict_json import holds_verdict
from labeling.domain.criteria import CriteriaSpec, CriterionSpec

# Every template that was ever published: a judge version is asked in its own for ever.
TEMPLATES = {template.name: template for template in (JUROR_1, JUROR_2)}
NEWEST = JUROR_2.name  # what new judge versions get


class UnknownTemplate(ValueError):
    """A judge version whose prompt template this release does not have; the sentence says what to do."""


def template_named(name: str) -> Template:
    """The template of a judge version. Raises `UnknownTemplate`; no other one stands in for it."""
    try:
        return TEMPLATES[name]
    except KeyError:
        raise UnknownTemplate(
            f"The judge asks by the prompt template “{name}”, which this release of Vera does not have; "
            f"known are {', '.join(TEMPLATES)}. Upgrade Vera, or make a new version of the judge."
        ) from None


def build_messages(
    template: str,
    criteria: CriteriaSpec,
    request: str,
    candidate: str,
    grounding: str,
    criteria_text: str,
    boundary: str,
    examples: Examples | None = None,
) -> list[Message]:
    """The system and the user message for one juror, as the template of that name words them.

    The system message depends on the criteria and the judge version alone, so that providers can cache it
    from row to row. `boundary` is a fresh unguessable word (`secrets.token_hex(16)`). Raises `ValueError`
    when it is too short to be unguessable or occurs in the material, which could then close its own fence;
    and `UnknownTemplate`.
    """
    chosen = template_named(template)
    texts = {"REQUEST": request, "GROUNDING": grounding, "CRITERIA": criteria_text, "CANDIDATE": candidate}
    if len(boundary) < 16 or any(boundary in text for text in texts.values()):
        raise ValueError("The boundary must be at least 16 characters long and occur in none of the texts.")
    question = chosen.question.format(boundary=boundary, parts=fenced_parts(texts, boundary))
    return [
        {"role": "system", "content": chosen.instructions(criteria, examples)},
        {"role": "user", "content": question},
    ]


def response_schema(criteria: CriteriaSpec, template: str) -> dict[str, Any]:
    """JSON schema of the reply, in the subset that providers' strict modes take.

    Models write an entry's keys in the order in which the template asks for them.
    """
    keys = template_named(template).entry
    entries = [_entry_schema(criterion, keys) for criterion in criteria.judged]
    items = entries[0] if len(entries) == 1 else {"anyOf": entries}
    return _closed_object({"criteria": {"type": "array", "items": items}, "feedback": {"type": "string"}})


def _entry_schema(criterion: CriterionSpec, keys: tuple[str, ...]) -> dict[str, Any]:
    known = {
        "name": {"type": "string", "enum": [criterion.name]},
        "score": {"type": "integer", "enum": list(range(criterion.scale_min, criterion.scale_max + 1))},
        "reason": {"type": "string"},
    }
    return _closed_object({key: known[key] for key in keys})


def _closed_object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


# What a candidate says to its judge: the pattern, and words of which it needs one from each group. Looking
# for words is many times quicker than searching, and few outputs have them. Every gap is bounded, and none at
# the start of a line goes on into the next, so that a search takes a time linear in the candidate's length.
_SIGNS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        r"\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,60}"
        r"\b(?:rubric|instructions?|criteria|criterion|prompts?|guidelines|rules)\b",
        ("ignore disregard forget override bypass", "rubric instruction criteri prompt guidelines rules"),
    ),
    (
        r"\b(?:answer|respond|reply|output|return|verdict is)\b[^.\n]{0,20}\bpass(?:ed)?\b",
        ("answer respond reply output return verdict", "pass"),
    ),
    (
        r"\b(?:give|award|assign|score)\b[^.\n]{0,40}"
        r"\b(?:full marks|(?:full|highest|maximum|max|perfect|top) (?:score|mark|grade|rating)s?)\b",
        ("give award assign score", "full highest max perfect top", "score mark grade rating"),
    ),
    (
        r"\b(?:dear|attention|note (?:to|for)|instructions? (?:to|for)|message (?:to|for)) (?:the )?"
        r"(?:llm |ai )?(?:judge|grader|evaluator)s?\b",
        ("dear attention note instruction message", "judge grader evaluator"),
    ),
    (
        r"^[^\S\n]{0,20}={2,5} ?(?:begin|end) (?:request|grounding|criteria|candidate)\b",
        ("==", "request grounding criteria candidate"),
    ),
    (r"<\|im_(?:start|end)\|>", ("<|im_",)),
    (r"^[^\S\n]{0,20}<?/?(?:system|assistant)(?:>|:)", ("system assistant",)),
)
_SEARCHES = [(re.compile(sign, re.MULTILINE), [each.split() for each in words]) for sign, words in _SIGNS]
_INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u00ad"


def flags(candidate: str) -> list[str]:
    """Signs that the candidate speaks to its judge: "injection_attempt", "verdict_shaped_json".

    They are shown with the verdict and decide nothing: a candidate may rightly be about judging.
    """
    found = []
    if _steers(_plain(candidate)):
        found.append("injection_attempt")
    if holds_verdict(candidate):
        found.append("verdict_shaped_json")
    return found


def _plain(text: str) -> str:
    for char in _INVISIBLE:
        text = text.replace(char, "")
    return text.replace("İ", "i").lower()  # of which lower() makes two letters, one of them invisible


def _steers(text: str) -> bool:
    return any(_may_match(text, groups) and search.search(text) for search, groups in _SEARCHES)


def _may_match(text: str, groups: list[list[str]]) -> bool:
    return all(any(word in text for word in group) for group in groups)
