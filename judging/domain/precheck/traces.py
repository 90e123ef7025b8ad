"""Stack traces of the usual languages, told by their grammar: every line must belong to the trace.

One line of explanation is enough to abstain.
"""

import re
from dataclasses import dataclass

TRAILER = (
    r"exit status \d+|exit code:? \d+|\[exit code:? \d+\]|process (?:exited|finished) with .{1,60}"
    r"|command exited with .{1,60}"
)
ERROR_NAME = (
    r"(?:[\w$-]{1,80}[.:]{1,2}){0,12}[\w$]{0,80}(?:Error|Exception|Warning|Interrupt|SystemExit"
    r"|StopIteration|Timeout|Expired|Group)"
)
ERROR_LINE = (
    rf"(?:Uncaught |\[?cause\]?: |Caused by: )?{ERROR_NAME}(?: \[\w{{1,60}}\])?(?: \(\w{{1,40}}\))?(?::"
    r"(?:\s.*)?)?"
)
PYTHON_HEAD = r"Traceback \(most recent call last\):|\+ Exception Group Traceback \(most recent call last\):"
PREFIX = (
    r"(?:(?:tool |execution |runtime |script |agent |unhandled ){0,2}(?:error|exception|failed|failure"
    r"|stderr|fatal)(?: executing [\w.-]{1,60})?:\s?)?"
)
LOG_LINE = r"\[?(?:\d{4}-\d\d-\d\d[T ]\S{5,20} )?.{0,40}?\b(?:ERROR|CRITICAL|FATAL)\b.*"


@dataclass(frozen=True, slots=True)
class Trace:
    """A kind of trace: how its first line starts, what its other lines look like, and a line it must have."""

    name: str
    head: re.Pattern[str]
    line: re.Pattern[str]
    must_have: re.Pattern[str] | None = None
    any_name_after_frames: bool = False


def _trace(
    name: str, head: str, line: str, must_have: str | None = None, *, any_name_after_frames: bool = False
) -> Trace:
    return Trace(
        name,
        re.compile(head, re.IGNORECASE),
        re.compile(rf"(?:\s+\S.*|{line}|{TRAILER})\Z", re.IGNORECASE),
        re.compile(must_have) if must_have else None,
        any_name_after_frames,
    )


TRACES = (
    _trace(
        "Python traceback",
        rf"{PREFIX}(?:{PYTHON_HEAD})",
        rf"{PREFIX}(?:{PYTHON_HEAD})|{ERROR_LINE}|During handling of the above exception.*"
        r"|The above exception was the direct cause.*"
        r"|(?:For further information|\(Background on this error|\[SQL:|\[parameters:|LINE \d+:"
        r"|DETAIL:|HINT:).*|File \"[^\"]{1,400}\", line \d+.*"
        r"|\[Previous line repeated \d+ more times?\]",
        any_name_after_frames=True,
    ),
    _trace(
        "notebook traceback",
        rf"(?:-{{20,200}}\n)?{ERROR_NAME}\s{{1,80}}Traceback \(most recent call last\)",
        rf"{ERROR_NAME}\s{{1,80}}Traceback .*|{ERROR_LINE}|(?:Cell |Input )?In ?\[.*|-{{2,6}}> ?\d.*|\d+ .*"
        r"|(?:File |[~/<])\S.* in .*|\(\.\.\.\)|During handling of .*|The above exception .*",
    ),
    _trace(
        "boxed traceback",
        r"╭─{1,200} Traceback \(most recent call last\) ─{1,200}╮",
        rf"[│╰╭├].*|{ERROR_LINE}",
    ),
    _trace("Python syntax error", r"File \"[^\"\n]{1,400}\", line \d+", ERROR_LINE, r"^\w{1,40}Error: "),
    _trace(
        "stack trace",
        rf"(?:Exception in thread \"[^\"\n]{{1,200}}\" |Unhandled exception[.:] "
        rf"|(?:[\w ]{{0,20}}error: )?(?:Uncaught )?(?:\(in promise\) )?)?{ERROR_NAME}"
        r"(?: \[\w{1,60}\])?\s*(?::|\n|\Z)|(?:file://)?[\w./\\:@-]{1,300}\.[cm]?[jt]sx?:\d+"
        r"|node:[\w/]{1,100}:\d+|\[UnhandledPromiseRejection: |Uncaught \S|\(node:\d+\) ",
        rf"{ERROR_LINE}|(?:Caused by|Suppressed): .*|(?:Exception in thread|Unhandled exception).*"
        rf"|--- End of .*|---> .*|Node\.js v\S+|\^+|[{{}}]|Require stack:"
        r"|- /.*|\[UnhandledPromiseRejection: .*|\(node:\d+\) .*|\(Use `node --trace.*|throw .*"
        r"|\[(?:errors|cause)\]: .*",
        r"^\s+at (?:async |new )?\S{1,300}(?: \[as \w{1,60}\])? ?\("
        r"|^\s+at (?:async )?\S{1,300}:\d+|Node\.js v\d",
    ),
    _trace(
        "Go panic",
        r"(?:panic|fatal error): ",
        r"(?:panic|fatal error|runtime error): .*|goroutine \d+ .*|[\w./*()\[\]{}-]{1,300}\(.{0,500}\)"
        r"|created by .*|\[signal .*|runtime\..*|rax .*",
        r"^goroutine \d+ ",
    ),
    _trace(
        "Rust panic",
        r"thread '[^'\n]{1,200}'(?: \(\d+\))? panicked at ",
        r"note: .*|stack backtrace:|thread '.*|called `.*|assertion .*|index out of bounds.*"
        r"|attempt to .*|explicit panic|not yet implemented.*|internal error.*"
        r"|byte index .*|already borrowed.*|failed to .*|error: .*",
    ),
    _trace(
        "Ruby backtrace",
        r"\S{1,300}\.rb:\d+:in .{1,1000}\([A-Z][\w:]{1,100}\)\s*(?:\n|\Z)"
        r"|Traceback \(most recent call last\):\n\s+\d+: from ",
        r"\S{1,300}\.rb:\d+:in .*|Did you mean\?.*",
    ),
    _trace(
        "PHP error",
        r"(?:<br />\s*)?(?:<b>)?(?:PHP )?(?:Fatal error"
        r"|Parse error)(?:</b>)?:\s+.{1,2000}(?: in \S{1,400}(?:\son line |:)\S)",
        r"#\d+ .*|Stack trace:|PHP .*|thrown in .*|Fatal error: .*|<br />.*|Next \S.*",
    ),
    _trace(
        "C++ abort",
        r"terminate called (?:after throwing|without an active|recursively)",
        r"what\(\): .*|Aborted.*|terminate called.*",
    ),
    _trace(
        "Elixir error",
        r"\*\* \([\w.]{1,100}\) ",
        r"\(.*|\*\* \(.*",
        r"^\s+\(?[\w ./]{1,100}\)? ?\S{1,200}:\d+",
    ),
    _trace("npm error", r"npm (?:ERR!|error) ", r"npm (?:ERR!|error|WARN|notice|warn).*"),
    _trace(
        "database error",
        r"(?:psql:\S{1,200} )?ERROR:  \S",
        r"(?:LINE \d+|DETAIL|HINT|CONTEXT|QUERY|STATEMENT|LOCATION|POSITION)\b.*",
        r"^(?:LINE \d+|DETAIL|HINT):",
    ),
)
ONE_LINE_PYTHON = re.compile(
    r"Traceback \(most recent call last\):\s+File \"[^\"\n]{1,400}\", line "
    r"\d+.{0,20000}?\b[\w.]{1,100}(?:Error|Exception): [^\n]{0,200}\Z"
)
FIELD_NAME = re.compile(r"^[\w.]{1,120}\n(?=  \S.{0,1000}\[type=)", re.MULTILINE)
PANIC_MESSAGE = re.compile(
    r"(thread '[^'\n]{1,200}'(?: \(\d+\))? panicked at [^\n]{1,400}:\d+:\d+:\n)[^\n]{0,2000}\n?"
)
LOG_LEAD = re.compile(
    rf"(?:{LOG_LINE}\n){{1,5}}(?=Traceback \(most recent call last\):|[\w.]{{0,100}}(?:Error|Exception): )"
)
ERROR_AFTER_FRAMES = re.compile(r"[A-Za-z_][\w.]{2,120}(?:: .*)?\Z")
LENGTH_LIMIT = 1_000_000
"""Characters of the longest text taken for a trace; of a longer one nothing is claimed."""


def whole_trace(text: str) -> str | None:
    """The name of the kind of trace that the whole text is; None where any line is something else."""
    if len(text) > LENGTH_LIMIT:
        return None
    if "\n" not in text and "\\n" in text:
        text = text.strip("\"'").replace("\\n", "\n").replace("\\t", "\t")
    if "\n" not in text and ONE_LINE_PYTHON.match(text):
        return "Python traceback"
    text = _without_messages(text)
    return next((trace.name for trace in TRACES if trace.head.match(text) and _is_all(trace, text)), None)


def _without_messages(text: str) -> str:
    """The text without the lines inside a trace that may hold any words."""
    if lead := LOG_LEAD.match(text):
        text = text[lead.end() :]
    if panic := PANIC_MESSAGE.match(text):
        text = panic[1] + text[panic.end() :]
    return FIELD_NAME.sub("", text) if "validation error" in text else text


def _is_all(trace: Trace, text: str) -> bool:
    """Whether all lines after the first belong to the trace, and the one it must have is among them."""
    found, after_frames = trace.must_have is None, False
    for line in text.split("\n")[1:]:
        blank = not line or line.isspace()
        named = after_frames and trace.any_name_after_frames and ERROR_AFTER_FRAMES.match(line)
        if not (blank or named or trace.line.match(line)):
            return False
        found = found or (trace.must_have is not None and trace.must_have.match(line) is not None)
        after_frames = line[:1] in (" ", "\t")
    return found
