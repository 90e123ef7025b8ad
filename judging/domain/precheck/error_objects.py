"""Error objects of model providers, gateways and tools, handed on as the answer."""

import re
from collections.abc import Mapping

NAMES = (
    "type __type code status statuscode status_code message msg title instance detail details id path param"
    " url request_id requestid trace_id traceid timestamp jsonrpc success ok object error errors reason"
    " error_code errorcode error_type errortype error_message errormessage error_description retry_after"
    " estimated_time documentation_url stack stacktrace traceback extensions provider model user_id method"
)
BESIDE_ERROR = frozenset(NAMES.split())
"""Names that may stand beside an error (lower case); any other name with a value may be an answer."""

KNOWN_MESSAGES = re.compile(
    r"(?:internal server error|forbidden|unauthorized|not authenticated|bad gateway"
    r"|service unavailable|gateway time-?out|endpoint request timed out"
    r"|too many requests|limit exceeded|missing authentication token"
    r"|the security token included in the request is invalid.*|invalid api key.*"
    r"|could not validate credentials|rate limit.*|overloaded|bad credentials|user is not authorized.*)\.?\Z",
    re.IGNORECASE,
)
ERROR_KIND = re.compile(r"\Aerror\Z|[a-z]_error\Z|[a-z](?:Error|Exception)\Z")
ERROR_STATUS = re.compile(r"[45]\d\d\Z")
NO_ERROR = re.compile(r"(?:none|no|null|n/a|no error|false|ok|0)?\.?\Z", re.IGNORECASE)


def error_object(record: Mapping[str, object], *, record_wanted: bool) -> str | None:
    """What a record says that is nothing but an error, or None where it holds an answer as well.

    Where a record was asked for, only an `error` or a server's known message proves that this is not it.
    """
    present = {name.lower(): value for name, value in record.items() if value not in (None, [], {}, "")}
    if present.get("success") is True or present.get("ok") is True or not present.keys() <= BESIDE_ERROR:
        return None
    if _is_error(present.get("error")) or (not record_wanted and _resembles_error(present)):
        return "the whole output is an error object"
    return _known_message(present)


def _resembles_error(present: Mapping[str, object]) -> bool:
    """A list of errors, an error's type and message, or the HTTP status of an error and words (RFC 9457)."""
    if any(_is_error_list(present.get(name)) for name in ("errors", "detail")):
        return True
    kinds = [present.get(name) for name in ("type", "object", "__type")]
    if any(isinstance(kind, str) and ERROR_KIND.search(kind) for kind in kinds):
        return isinstance(present.get("message"), str)
    statuses = (str(present.get(name)) for name in ("status", "statuscode", "status_code"))
    if any(ERROR_STATUS.match(status) for status in statuses):
        return any(isinstance(present.get(name), str) for name in ("message", "detail", "title"))
    return isinstance(present.get("errormessage"), str)


def _is_error(error: object) -> bool:
    if isinstance(error, str):
        return NO_ERROR.match(error.strip()) is None and not error.replace(".", "").isdigit()
    if isinstance(error, Mapping):
        names = {name.lower() for name in error if isinstance(name, str)}
        return bool(names & {"message", "code", "type", "status", "msg", "detail", "reason"})
    return error is True


def _is_error_list(errors: object) -> bool:
    return isinstance(errors, list) and any(
        isinstance(each, Mapping) and ("message" in each or "msg" in each) for each in errors
    )


def _known_message(present: Mapping[str, object]) -> str | None:
    said = present.get("message", present.get("detail"))
    if isinstance(said, str) and KNOWN_MESSAGES.match(said):
        return f"the whole output is the server's message {said!r}"
    return None
