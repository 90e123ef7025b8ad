"""`error_leak`: the whole output is an error text that some program printed."""

from judging.domain.precheck.apology import without_apologies
from judging.domain.precheck.asked import (
    a_record_is_the_subject,
    cause_or_name_is_asked,
    failure_is_the_subject,
    object_is_the_subject,
)
from judging.domain.precheck.case import Case
from judging.domain.precheck.error_lines import error_line, exception_line
from judging.domain.precheck.error_objects import error_object
from judging.domain.precheck.fences import without_fence
from judging.domain.precheck.framing import failure_is_expected
from judging.domain.precheck.traces import whole_trace
from judging.domain.precheck.verdict import Kill


def error_leak(case: Case) -> Kill | None:
    """Kill traces, error objects and error lines with no answer around them, unless asked about errors."""
    leaked = _leaked(case)
    if leaked is None or failure_is_the_subject(case) or failure_is_expected(case):
        return None
    return Kill(leaked)


def _leaked(case: Case) -> str | None:
    if case.record is not None:
        if object_is_the_subject(case):
            return None
        return error_object(case.record, record_wanted=a_record_is_the_subject(case))
    text = without_fence(without_apologies(_spoken(case)))
    kind = whole_trace(text) or error_line(text)
    if kind is None and not cause_or_name_is_asked(case):
        kind = exception_line(text)
    return f"the whole output is {_with_article(kind)} with no answer around it" if kind else None


def _spoken(case: Case) -> str:
    """The text, or the text inside where the whole output is one JSON string."""
    document = case.reading.document
    return (
        document.value.strip()
        if document and isinstance(document.value, str) and case.body[:1] == '"'
        else case.body
    )


def _with_article(kind: str) -> str:
    return kind if kind.startswith("a ") else f"a {kind}"
