"""`stop_notice`: a framework's notice that it gave up, in place of an answer."""

import re

from judging.domain.precheck.case import Case
from judging.domain.precheck.verdict import Kill

NOTICE_LIMIT = 400
"""Longest text taken for a notice: real ones are a sentence or two."""

WHO = (
    r"(?:(?:the )?(?:agent|assistant|chain|run|task|workflow|conversation|execution|crew|loop|model"
    r"|graph|session|process|it|i|we)\b[ \t]*(?:executor )?)?"
)
LIMIT = (
    r"(?:max(?:imum)?[ _]?(?:number of |allowed |permitted )?(?:llm |model |agent |tool[- ]?(?:call "
    r"|use )?|reasoning |conversation |agentic )?"
    r"(?:iterations?|steps?|turns?|rounds?|retries|attempts|tool calls?|calls|requests|loops?"
    r"|recursion(?: depth| limit)?|execution time|tokens?|depth|messages)"
    r"|(?:iteration|step|turn|recursion|time|tool[- ]call|token|round|call|budget|retry|request"
    r"|context|usage)s?[ -]?(?:limit|budget|cap|quota))"
)
REACHED = r"(?:(?:was|were|has been|have been|is|limit)[ \t]+)?(?:reached|exceeded|hit|exhausted|met)"
NOTICE = re.compile(
    r"[\[(*<]{0,3}(?:error|warning|notice|system|info|stopped|terminated|aborted)?[:\s-]{0,3}(?:"
    rf"{WHO}(?:was |has |have |had |is |been |'ve |got )*(?:stopped|terminated|aborted|halted|ended"
    r"|interrupted|timed out|cancelled)\b"
    r"(?: early| prematurely)?[:,]?[ \t]*(?:due to|because(?: of)?|after|by|as|on"
    rf"|-)[ \t]*(?:reaching |exceeding |hitting |it |the |a |an |its |of )*{LIMIT}"
    rf"|{WHO}(?:has |have |had |'ve )?(?:reached|exceeded|hit|exhausted)[ \t]+(?:the |its |my "
    rf"|our )?(?:configured )?{LIMIT}"
    rf"|{LIMIT}(?: of)?[ \t]*(?:\(?\d+\)?[ \t]*)?{REACHED}"
    r"|recursion limit of \d+ reached"
    r"|sorry, need more steps to process this request"
    r"|(?:agent|task|execution|tool|run|workflow|step|conversation|operation|job"
    r"|command)[ \t]+(?:execution )?timed out(?: after \d+(?:\.\d+)? ?(?:seconds?|minutes?|secs?|mins?"
    r"|ms|s|m)\b)?"
    r"|request (?:was )?(?:aborted|interrupted by (?:the )?user|cancelled)(?: by user)?"
    r"|(?:agent|run|task|generation|execution) (?:was )?(?:interrupted|cancelled"
    r"|aborted)(?: by (?:the )?user)?"
    r"|unable to (?:complete|finish) (?:the |this )?(?:task|request) within (?:the )?(?:maximum"
    r"|allowed|given|max)\b"
    r")(?P<rest>[^\n]*)",
    re.IGNORECASE,
)
HARMLESS_REST = re.compile(
    r"[\s.!)\]*>:]*(?:or (?:the )?time limit|or max(?:imum)? (?:iterations|execution time)"
    r"|\(?\d+(?: ?(?:/|of) ?\d+)?\)?|\d+ ?(?:s|seconds|iterations|steps|turns)"
    r"|without (?:hitting|reaching|producing|finishing|a final|an answer|completing"
    r"|completion)\b[^.\n]{0,120}|before (?:finishing|completing|completion|reaching|producing"
    r"|an?)\b[^.\n]{0,120}"
    r"|(?:and )?(?:stopping|aborting|terminating|giving up|forcing|requesting"
    r"|no (?:final )?answer)\b[^.\n]{0,120}|for (?:this|the) (?:run|task|session|conversation|agent)"
    r"|(?:you can )?increase the limit\b[^.\n]{0,200}|by setting\b[^\n]{0,200}|please (?:try again"
    r"|retry|continue|increase)\b[^.\n]{0,120}|use tool for use|of \d+|[\s.,;!()\[\]*<>:/-])*\Z",
    re.IGNORECASE,
)
LIMITS_NAMED = re.compile(
    r"\b(?:iterations?|limits?|limited|steps|turns|agent|framework|stop(?:s|ped)?|terminat\w+"
    r"|messages?|notices?|timeouts?|timed|converg\w+|optimi\w+|train\w*|solver"
    r"|recursion|errors?|exceptions?|fail\w*|status|logs?|crewai|langchain|langgraph|autogen|quota"
    r"|budget|max\w*)\b",
    re.IGNORECASE,
)


def stop_notice(case: Case) -> Kill | None:
    """Kill a text that is a stop notice and nothing else, unless limits or notices were asked about."""
    if len(case.body) > NOTICE_LIMIT or LIMITS_NAMED.search(case.ask):
        return None
    notice = NOTICE.match(case.body)
    if notice is None or not HARMLESS_REST.match(case.body[notice.start("rest") :]):
        return None
    return Kill(f"the whole output is a stop notice: {case.body.splitlines()[0]!r}")
