"""`stop_notice`: a framework's notice that it gave up, in place of an answer."""

import re

from judging.domain.precheck.case import Case
from judging.domain.precheck.normal import undecorated
from judging.domain.precheck.verdict import Kill

NOTICE_LIMIT = 400
"""Longest text taken for a notice: real ones are a sentence or two."""

WHO = (
    r"(?:the |this |your )?(?:agent|assistant|chain|run|task|workflow|conversation|execution|crew"
    r"|loop|model|graph|session|process|response|output|generation|it|i|we)"
    r"(?:[ \t]+(?:executor|execution|run|loop))?"
)
HAS = r"(?:[ \t]+(?:was|has|have|had|is|been|got)|['’]ve)*"
MAXIMUM = (
    r"max(?:imum)?[ _]?(?:number of |allowed |permitted )?(?:llm |model |agent |tool |tool[- ]call "
    r"|reasoning "
    r"|conversation |agentic )?(?:iterations?|steps?|turns?|rounds?|retries|attempts|tool calls?|calls"
    r"|requests"
    r"|loops?|recursion(?: depth)?|execution time|(?:output )?tokens?|depth|messages)(?: limit)?"
)
RUN_LIMIT = rf"(?:{MAXIMUM}|(?:iteration|step|turn|recursion|tool[- ]call)s?[ -]?(?:limit|budget|cap|quota))"
ANY_LIMIT = (
    rf"(?:{RUN_LIMIT}|(?:time|token|round|call|budget|retry|request|context|usage)s?[ -]?(?:limit"
    r"|budget|cap))"
)
REACHED = r"(?:(?:was|were|has been|have been|is)[ \t]+)?(?:reached|exceeded|hit|exhausted|met)"
COUNT = r"(?:[ \t]*(?:of )?\(?\d+\)?)?"
BECAUSE = r"[:,]?[ \t]*(?:(?:due to|because of|because|after|by|as|on|-)[ \t]+)?"
WITHIN = r"within (?:the )?(?:maximum|allowed|given|max)\b"
SECONDS = r"(?: after \d+(?:\.\d+)? ?(?:seconds?|minutes?|secs?|mins?|ms|s|m)\b)?"
NOTICES = (
    # agent stopped due to max iterations; terminated: step limit (10) reached
    rf"(?:{WHO}{HAS}[ \t]+)?(?:stopped|terminated|aborted|halted|ended|interrupted|timed out|cancelled"
    rf"|truncated)(?: early| prematurely)?{BECAUSE}"
    rf"(?:(?:reaching|exceeding|hitting|it|the|a|an|its|of)[ \t]+)*{ANY_LIMIT}{COUNT}(?:[ \t]+{REACHED})?",
    # agent could not finish: max iterations reached
    rf"{WHO}[ \t]+(?:could not|couldn['’]t|did not|didn['’]t|failed to) (?:finish"
    r"|complete)(?: the task)?[:,] "
    rf"{ANY_LIMIT}{COUNT}(?:[ \t]+{REACHED})?",
    # the agent has reached the maximum number of steps
    rf"{WHO}{HAS}[ \t]+(?:reached|exceeded|hit|exhausted)[ \t]+(?:the |its |my "
    rf"|our )?(?:configured )?{ANY_LIMIT}",
    rf"(?:reached|exceeded|hit|exhausted)[ \t]+(?:the )?(?:configured )?{RUN_LIMIT}",
    # maximum number of steps reached
    rf"(?:{RUN_LIMIT}|(?:output |context )?token limit){COUNT}[ \t]+{REACHED}",
    r"sorry, need more steps to process this request",
    r"(?:agent|task|execution|tool|run|workflow|step|conversation|operation|job|command)[ \t]+(?:execution )?"
    rf"timed out{SECONDS}",
    r"request (?:was )?(?:aborted|interrupted by (?:the )?user|cancelled)(?: by user)?",
    r"(?:agent|run|task|generation|execution) (?:was )?(?:interrupted|cancelled"
    r"|aborted)(?: by (?:the )?user)?",
    rf"(?:{WHO}{HAS}[ \t]+)?unable to (?:complete|finish) (?:the |this )?(?:task|request) {WITHIN}",
)
LEAD = (
    r"[\[(*<]{0,3}(?:[\w.]{0,60}error|warning|notice|system|info|stopped|terminated|aborted)?[\])>:\s-]{0,4}"
    r"(?:(?:i['’]m )?sorry,? (?:but )?)?"
)
NOTICE = re.compile(rf"{LEAD}(?:{'|'.join(NOTICES)})(?P<rest>[^\n]*)", re.IGNORECASE)
ADDITIONS = (
    r"[\s.,;!()\[\]*<>:/-]",
    r"\d++(?: ?(?:of|/) ?\d++)?(?: ?(?:seconds|s|iterations|steps|turns)\b)?",
    r"(?:number of )?(?:steps|iterations|turns)\b",
    r"or (?:the )?(?:time limit|max(?:imum)? (?:iterations|execution time))",
    r"(?:and |but |so )(?:it |i )?(?:could not|couldn['’]t|cannot|did not|failed to"
    r"|was unable to) \w{1,20}\b[^.\n]{0,120}",
    r"without (?:hitting|reaching|producing|finishing|completing|completion|a final"
    r"|an answer)\b[^.\n]{0,120}",
    r"before (?:finishing|completing|completion|reaching|producing|an?)\b[^.\n]{0,120}",
    r"(?:and )?(?:stopping|aborting|terminating|giving up|forcing|requesting"
    r"|no (?:final )?answer)\b[^.\n]{0,120}",
    r"for (?:this|the) (?:run|task|session|conversation|agent|turn|request|step)",
    r"(?:either something went wrong or )?(?:you can )?increase the (?:limit|max)\b[^\n]{0,200}",
    r"for troubleshooting, visit:? \S{1,200}",
    r"by setting\b[^\n]{0,200}",
    r"please (?:try again|retry|continue|increase)\b[^.\n]{0,120}",
)
# possessive: a text that is no notice must not be tried in every division into additions
NOTHING_MORE = re.compile(rf"(?:{'|'.join(ADDITIONS)})*+\Z", re.IGNORECASE)
LIMITS_NAMED = re.compile(
    r"\b(?:iterations?|limits?|limited|steps|turns|agent|framework|stop(?:s|ped)?|terminat\w+"
    r"|ended?|happen\w*|cancel\w*|abort\w*|interrupt\w*|messages?|notices?|timeouts?|timed|converg\w+|optimi\w+|train\w*|solver"
    r"|recursion|errors?|exceptions?|fail\w*|status|logs?|crewai|langchain|langgraph|autogen|quota"
    r"|budget|max\w*)\b",
    re.IGNORECASE,
)


def stop_notice(case: Case) -> Kill | None:
    """Kill a text that is a stop notice and nothing else, unless limits or notices were asked about."""
    if len(case.body) > NOTICE_LIMIT or LIMITS_NAMED.search(case.ask):
        return None
    text = undecorated(case.body)
    notice = NOTICE.match(text)
    if notice is None or not NOTHING_MORE.match(text[notice.start("rest") :]):
        return None
    return Kill(f"the whole output is a stop notice: {text.splitlines()[0]!r}")
