"""What request and criteria are about. Used only to abstain: where they name the thing, it may be wanted."""

import re

from judging.domain.precheck.case import Case

FAILURE_WORD = (
    r"(?:error (?:messages?|texts?|pages?|output)|errors?|exceptions?|tracebacks?|stack ?traces?"
    r"|crash\w*|panic\w*"
    r"|fail(?:s|ed|ing|ures?)?|bugs?|invalid|timeouts?)"
)
UNWANTED_FAILURE = re.compile(
    r"\b(?:without|no|not|never|avoid\w*|free (?:of|from)|(?:do|does|must|should|is|are)n['’]t|cannot"
    r"|fix\w*|repair\w*|resolve\w*|solve\w*|handle\w*|prevent\w*)"
    rf"(?:[ \t]+[\w'’-]{{1,30}}){{0,3}}?[ \t]+{FAILURE_WORD}\b"
    rf"(?:,?[ \t]+(?:or|and|nor)[ \t]+(?:an?[ \t]+|any[ \t]+)?{FAILURE_WORD}\b){{0,4}}"
    rf"|\b{FAILURE_WORD}[ \t]+(?:is|are|would be)[ \t]+"
    r"(?:unacceptable|forbidden"
    r"|(?:not|never)[ \t]+(?:acceptable|allowed|tolerated|ok|okay|fine|wanted|permitted))\b",
    re.IGNORECASE,
)
FAILURE_SUBJECT = re.compile(
    rf"\b(?:{FAILURE_WORD}|stderr|debug\w*|(?:rais|throw)(?:es?|ed|ing|s)|thrown|wrong|expired|reject\w*"
    r"|refus\w*|den(?:y|ied|ies)|unauthori[sz]ed|simulat\w*|mock\w*|fixtures?|broken|corrupt\w*|malformed"
    r"|rate.?limit\w*|quotas?|40[0-9]|429|50[0-4]|status (?:codes?|lines?|texts?|messages?)|console"
    r"|stdout|repl|(?:do|does|did)(?: not|n['’]t) exist|non-?exist\w+|no such|not[- ]found"
    r"|logs|log (?:file|line|entr|output)\w*|(?:the|this|that|my|its|our|last|full) log"
    r"|overload\w*|unavailab\w*|outages?|(?:raw|full|complete|exact|terminal|unedited) output|verbatim"
    r"|exit codes?|print(?:s|ed)|what happen(?:s|ed)|null pointer|segfaults?|(?:api|json|http"
    r"|server) (?:response|repl)\w*)\b"
    r"|\b\w{1,60}(?:Error|Exception)\b|`|\bwhat (?:does|do|is|will|would)\b[^?\n]{0,80}"
    r"\b(?:print|return|output|show|say|give|log|mean|send|answer|reply|respond)s?\b"
    r"|\btranslat\w*[^\n]{0,40}[\"'“‘«„]",
    re.IGNORECASE,
)
PROGRAMMING_SUBJECT = re.compile(
    r"\b(?:javascript|typescript|node|js|python|java|c#|php|ruby|rust|code|snippet|function|class"
    r"|object|promise|coroutine"
    r"|generator|prints?|printed|repr|tostring|console|output of|evaluate\w*|expression|program|script"
    r"|string\(|variable)\b|`",
    re.IGNORECASE,
)
OBJECT_SUBJECT = re.compile(
    r"[\"'`](?:success|ok|isError|is_error|succeeded|error)[\"'`]\s{0,3}:"
    r"|(?:\b(?:returns?|fields?|keys?|json)\b|\{)[^.;\n]{0,40}\b(?:success|ok|isError|is_error|succeeded)\b|\b(?:example|sample|dummy|fake|stub|payload)s?\b",
    re.IGNORECASE,
)
RECORD_SUBJECT = re.compile(r"\b(?:json|records?|objects?|alerts?|events?)\b", re.IGNORECASE)
CAUSE_OR_NAME = re.compile(
    r"\b(?:why|causes?|caused|reasons?|diagnos\w*|titles?|headlines?|slogans?|captions?|jokes?|puns?|quiz\w*"
    r"|names? for|suggest\w*|defin\w+|terms?|meanings?|quotes?|quoted|(?:first|last|next) line|log"
    r"|messages? (?:for|when|if)"
    r"|review\w*|comments?|commit|changelog|release notes?)\b",
    re.IGNORECASE,
)
TWO_VALUES = re.compile(r"\b(?:true or false|yes or no|true\s?\|\s?false|boolean)\b", re.IGNORECASE)
YES_OR_NO = re.compile(
    r"\b(?:whether|eligib\w+|moderat\w+|predict\w*|validat\w+|verif\w+)\b|(?:^|[.!?:]\s{1,3})"
    r"(?:is|are|was|were|can|could|did|does|do|has|have|had|will|would|should)\b[^.!\n]{1,300}\?",
    re.IGNORECASE | re.MULTILINE,
)


def failure_is_the_subject(case: Case) -> bool:
    """Whether an error text may be what was asked for: errors are named, other than as unwanted."""
    return FAILURE_SUBJECT.search(UNWANTED_FAILURE.sub(" ", case.ask)) is not None


def programming_is_the_subject(case: Case) -> bool:
    """Whether a printed value of a program may be what was asked for."""
    return PROGRAMMING_SUBJECT.search(case.ask) is not None


def object_is_the_subject(case: Case) -> bool:
    """Whether an object of this very form, or an example of one, may be what was asked for."""
    return OBJECT_SUBJECT.search(case.ask) is not None


def a_record_is_the_subject(case: Case) -> bool:
    """Whether JSON or a record was asked for: one with a type, a status or errors may be that one."""
    return RECORD_SUBJECT.search(case.ask) is not None


def cause_or_name_is_asked(case: Case) -> bool:
    """Whether a cause, a name or a title was asked for: an exception may be one, or lend its form to one."""
    return CAUSE_OR_NAME.search(case.ask) is not None


def answer_is_yes_or_no(case: Case) -> bool:
    """Whether the request asks if something is so; `false` is then an answer, not a failed run."""
    return TWO_VALUES.search(case.ask) is not None or YES_OR_NO.search(case.request) is not None
