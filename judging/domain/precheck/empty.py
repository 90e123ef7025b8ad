"""`empty_output`: nothing was answered."""

import re

from judging.domain.precheck.case import Case
from judging.domain.precheck.fences import without_fence, without_reasoning
from judging.domain.precheck.json_demand import json_demand
from judging.domain.precheck.verdict import Kill

VISIBLY_BLANK = re.compile(r"(?:&nbsp;|&#160;|&#xa0;|&zwnj;|&zwj;|&#8203;|<br ?/?>|\s)*+", re.IGNORECASE)
MACHINE_NOTHING = re.compile(
    r"null|undefined|nan|\"\"|''|\(null\)|<(?:null|none|empty)>"
    r"|[(\[<](?:no|empty) (?:response|content|message|reply)[)\]>]"
)
WORDS_FOR_NOTHING = {"none", "n/a", "na", "nil", "<n/a>", "(none)", "[none]"}
EMPTY_CONTAINERS = {"{}", "[]", "()", "[{}]", "[null]"}

EMPTY = r"(?:empty|blank|nothing|no (?:output|text|answer|reply|response|content)|silence|silent)"
EMPTY_ALLOWED = re.compile(
    rf"\b{EMPTY}\b(?:[ \t]+(?!not\b|never\b)[\w'-]{{1,30}}){{0,5}}?[ \t]+(?:acceptable|allowed|fine|ok"
    r"|okay|expected|valid|permitted"
    r"|correct|right|accepted|wanted|intended|good)\b"
    r"|\b(?:accept|allow|permit|expect)\w*[ \t]+(?:(?!not\b|never\b"
    rf"|non)[\w'-]{{1,30}}[ \t]+){{0,3}}{EMPTY}\b"
    r"|\b(?:may|can|could|should|must|might|shall|remains?|stays?|is)[ \t]+(?:(?:also|be|left|remain"
    rf"|stay)[ \t]+){{0,3}}{EMPTY}\b"
    r"|\b(?:return|output|print|reply|respond|answer|say|write|produce|emit|leave|send|give|stay"
    r"|remain|be)s?[ \t]+"
    rf"(?:(?:with|an?|the|it|only|just|absolutely|completely|exactly)[ \t]+){{0,3}}{EMPTY}\b",
    re.IGNORECASE,
)
EMPTY_DENIED = re.compile(
    r"\b(?:not|never|non|cannot|no|(?:do|does|must|should|may|can|is)n['’]t)[ \t-]+(?:(?:be|leave"
    r"|return|output|reply|respond|answer|write"
    rf"|say|give|send|an?|it|with|accept|allow|stay|remain)[ \t]+){{0,4}}{EMPTY}\b",
    re.IGNORECASE,
)
NOTHING_NAMED = re.compile(
    r"\b(?:null|none|undefined|nan|nil|n/a|missing|absent|unknown|unavailable|not (?:found|available"
    r"|applicable|known|given|stated))\b"
    r"|\bif (?:there (?:is|are)|it has|any)\b|\bno (?:value|match|such|rows?|results?|data)\b",
    re.IGNORECASE,
)
MAY_BE_NONE = re.compile(r"\b(?:any|lists?|sections?|needed|necessary|remaining)\b", re.IGNORECASE)
OPEN_QUESTION = re.compile(r"\?|\b(?:what|which|why|whom|how much|one word)\b", re.IGNORECASE)
PLAIN_QUESTION = re.compile(
    r"\W*(?:how many|who|whose|where|when)\b[^?\d`()={}]{3,300}\?\s*\Z", re.IGNORECASE
)
VALUE_ASKED = re.compile(
    r"\b(?:json|return|evaluate|compute|calculate|value|translate|zero|word|code|type|field|column|cell|record"
    r"|extract|fill|classify|label|category|look ?up|read|fetch|get|print|output|javascript|python|sql|string"
    r"|pointer|function|variable|hypothesis|database|object)s?\b",
    re.IGNORECASE,
)
ASKS = re.compile(r"\?|\b(?:how many|which|list|name|any|one word|report)\b", re.IGNORECASE)
PROSE_ASKED = re.compile(
    r"^\W{0,3}(?:please[ \t]+)?(?:write|draft|compose|plan|rewrite|paraphrase|outline|brainstorm"
    r"|design|count from)\b"
    r"|^\W{0,3}(?:please[ \t]+)?summari[sz]e[ \t]+(?:the|this|that|our|my|your)[ \t]+"
    r"(?:[\w-]{1,20}[ \t]+){0,3}"
    r"(?:reports?|meetings?|calls?|articles?|documents?|texts?|books?|stor(?:y|ies)|papers?|conversations?"
    r"|threads?|e?mails?|chapters?|pages?|talks?|transcripts?)\b",
    re.IGNORECASE,
)
SINGLE_VALUE_ASKED = re.compile(
    r"\A\W*(?:please[ \t]+)?(?:return|give|produce|provide)s?[ \t]+(?:an?|one)[ \t]+(?:\w{1,20}[ \t]+)?"
    r"(?:value|result|answer|number|summary|sentence|name)\W*\Z",
    re.IGNORECASE,
)
CONTAINER_NAMED = re.compile(
    r"\b(?:json|yaml|toml|code|config\w*|schema|python|javascript|lists?|arrays?|objects?|dict\w*|tuples?|sets?|maps?"
    r"|braces?|brackets?|literal|default\w*|payload|structure)\b|[`{\[]",
    re.IGNORECASE,
)
INVISIBLE_ASKED = re.compile(
    r"\b(?:white ?space|non-?breaking|zero[- ]width|invisible|ansi|(?:which|what|single|one) character"
    r"|(?:space|tab|newline|control|escape|blank)[- ](?:characters?|sequences?|codes?))\b",
    re.IGNORECASE,
)
EMPTY_MARKUP_NAMED = re.compile(
    r"\b(?:empty|blank|fences?|code block|markdown|tags?|think|reasoning|xml)\b", re.IGNORECASE
)


def empty_output(case: Case) -> Kill | None:
    """Kill blank text, an empty fence, reasoning with nothing after it, and words that stand for nothing."""
    if _empty_is_allowed(case):
        return None
    if VISIBLY_BLANK.fullmatch(case.text):
        if case.candidate and INVISIBLE_ASKED.search(case.ask):
            return None
        return Kill("the output is empty" if not case.candidate else "the output has no visible character")
    return _empty_markup(case) or _stands_for_nothing(case)


def _empty_is_allowed(case: Case) -> bool:
    return EMPTY_ALLOWED.search(EMPTY_DENIED.sub(" ", case.ask)) is not None


def _empty_markup(case: Case) -> Kill | None:
    answer = without_reasoning(case.text)
    if EMPTY_MARKUP_NAMED.search(case.ask):
        return None
    if not answer:
        return Kill("nothing follows the hidden reasoning")
    if not without_fence(answer):
        return Kill("the output is an empty code fence")
    return None


def _stands_for_nothing(case: Case) -> Kill | None:
    if len(case.body) > 40:
        return None
    word = case.body.rstrip(".").lower()
    if MACHINE_NOTHING.fullmatch(word) and not _may_be_a_value(case):
        return Kill(f"the whole output is {case.body!r}")
    if word in WORDS_FOR_NOTHING and _nothing_is_no_answer(case):
        return Kill(f"the whole output is {case.body!r}")
    if word in EMPTY_CONTAINERS and _text_was_due(case):
        return Kill(f"the whole output is {case.body!r}")
    return None


def _text_was_due(case: Case) -> bool:
    """An empty list may be right wherever there may be none of something, a poem is never one."""
    if CONTAINER_NAMED.search(case.ask) or NOTHING_NAMED.search(case.ask):
        return False
    ask = case.request if case.request.strip() else case.criteria
    return PROSE_ASKED.search(ask) is not None or SINGLE_VALUE_ASKED.match(ask) is not None


def _may_be_a_value(case: Case) -> bool:
    """`null` answers some questions and is a JSON document; to `who` or `write a letter` it is no answer."""
    if NOTHING_NAMED.search(case.ask) or VALUE_ASKED.search(case.request):
        return True
    if case.reading.document is not None and json_demand(case) is not None:
        return True
    return OPEN_QUESTION.search(case.request) is not None and not PLAIN_QUESTION.match(case.request)


def _nothing_is_no_answer(case: Case) -> bool:
    """`None` and `N/A` are words a person may answer with, unless a text had to be written."""
    if NOTHING_NAMED.search(case.ask) or MAY_BE_NONE.search(case.request):
        return False
    return PROSE_ASKED.search(case.request) is not None or (
        not case.request.strip() and ASKS.search(case.criteria) is None
    )
