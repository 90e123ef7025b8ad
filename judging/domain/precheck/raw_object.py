"""`raw_object`: the name that a runtime prints for an object nobody turned into text."""

import re

from judging.domain.precheck.asked import programming_is_the_subject
from judging.domain.precheck.case import Case
from judging.domain.precheck.verdict import Kill

PRINTED_OBJECT = re.compile(
    r"(?:\[object (?:Object|Promise|Undefined|Null|Response|Generator|AsyncGenerator"
    r"|ReadableStream)\](?:,\[object Object\]){0,50}"
    r"|Promise \{ ?<pending> ?\}"
    r"|<(?:[\w.]{1,200} object|coroutine object [\w.<>]{1,200}"
    r"|(?:async_)?generator object [\w.<>]{1,200}|function [\w.<>]{1,200}|bound method [^>\n]{1,200})"
    r" at 0x[0-9a-f]{4,16}>"
    r"|System\.Threading\.Tasks\.Task`\d\[[\w.]{1,200}\])\Z",
    re.IGNORECASE,
)


def raw_object(case: Case) -> Kill | None:
    """Kill `[object Object]`, `<coroutine object … at 0x…>` and the like, unless code was asked about."""
    if len(case.body) > 2_000 or not PRINTED_OBJECT.match(case.body) or programming_is_the_subject(case):
        return None
    return Kill(f"the whole output is an object that was never made into text: {case.body[:80]}")
