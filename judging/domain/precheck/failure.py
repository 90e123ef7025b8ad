"""`unmarked_failure`: the run says of itself that it failed, and nobody says that this was expected."""

import re
from collections.abc import Mapping

from judging.domain.precheck.asked import answer_is_yes_or_no, failure_is_the_subject, object_is_the_subject
from judging.domain.precheck.case import Case
from judging.domain.precheck.error_objects import BESIDE_ERROR
from judging.domain.precheck.framing import failure_is_expected, failure_is_handled
from judging.domain.precheck.verdict import Kill

FALSE_FLAGS = ("success", "ok", "succeeded")
TRUE_FLAGS = ("isError", "is_error", "iserror")
FAILED_STATUS = {"error", "failed", "failure"}
MESSAGE_NAMES = {"error", "errors", "message", "msg", "reason", "detail", "details"}
STATUS_SUBJECT = re.compile(
    r"\b(?:status|states?|outcomes?|results? of|monitor\w*|health\w*|jobs?|pipelines?|builds?"
    r"|deploy\w*|tests?|check\w*|orders?|payments?)\b",
    re.IGNORECASE,
)


def unmarked_failure(case: Case) -> Kill | None:
    """Kill a top-level failure flag in candidate or `meta`, unless failing is expected or asked for."""
    sign = _sign_in_candidate(case) or _sign_in_meta(case.meta)
    if sign is None or failure_is_expected(case) or failure_is_handled(case.record or {}):
        return None
    return Kill(f"{sign}, and neither output nor criteria call a failure expected")


def _sign_in_meta(meta: Mapping[str, object]) -> str | None:
    return next((f"meta says {name}=false" for name in FALSE_FLAGS if meta.get(name) is False), None)


def _sign_in_candidate(case: Case) -> str | None:
    """Only the top level tells about the run, and only where `meta` does not say that the run succeeded."""
    if case.record is None or any(case.meta.get(name) is True for name in FALSE_FLAGS):
        return None
    sign = _flag(case.record) or _failed_status(case)
    if sign is None or _flag_may_be_the_answer(case):
        return None
    return sign


def _flag(record: Mapping[str, object]) -> str | None:
    for name in FALSE_FLAGS:
        if record.get(name) is False:
            return f"the output says {name}=false"
    for name in TRUE_FLAGS:
        if record.get(name) is True:
            return f"the output says {name}=true"
    return None


def _failed_status(case: Case) -> str | None:
    """A failed status beside nothing but messages; with data beside it the status may be the answer."""
    record = case.record or {}
    status = record.get("status")
    if not isinstance(status, str) or status.lower() not in FAILED_STATUS or STATUS_SUBJECT.search(case.ask):
        return None
    rest = {
        name.lower() for name, value in record.items() if name != "status" and value not in (None, {}, [], "")
    }
    return f"the output says status={status}" if rest & MESSAGE_NAMES and rest <= BESIDE_ERROR else None


def _flag_may_be_the_answer(case: Case) -> bool:
    return answer_is_yes_or_no(case) or failure_is_the_subject(case) or object_is_the_subject(case)
