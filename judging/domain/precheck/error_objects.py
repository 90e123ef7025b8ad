"""Error objects of model providers, gateways and tools, handed on as the answer."""

import re
from collections.abc import Mapping

BESIDE_ERROR = frozenset(
    [
        "type",
        "code",
        "status",
        "statuscode",
        "status_code",
        "message",
        "msg",
        "detail",
        "details",
        "request_id",
        "requestid",
        "timestamp",
        "path",
        "param",
        "id",
        "jsonrpc",
        "success",
        "ok",
        "object",
        "trace_id",
        "traceid",
        "error",
        "errors",
        "reason",
        "error_code",
        "errorcode",
        "error_description",
        "error_type",
        "retry_after",
        "documentation_url",
        "stack",
        "traceback",
        "extensions",
        "provider",
        "model",
        "user_id",
        "method",
        "url",
    ]
)
"""Names that may stand beside an error (lower case); any other name with a value may be an answer."""

KNOWN_MESSAGES = re.compile(
    r"(?:internal server error|forbidden|unauthorized|not authenticated|bad gateway"
    r"|service unavailable|gateway time-?out|endpoint request timed out"
    r"|too many requests|limit exceeded|missing authentication token"
    r"|the security token included in the request is invalid.*|invalid api key.*"
    r"|could not validate credentials|rate limit.*|overloaded|bad credentials|user is not authorized.*)\.?\Z",
    re.IGNORECASE,
)
NO_ERROR = re.compile(r"(?:none|no|null|n/a|no error|false|ok|0)?\.?\Z", re.IGNORECASE)


def error_object(record: Mapping[str, object]) -> str | None:
    """What a record says that is nothing but an error, or None where it holds an answer as well."""
    present = {name.lower(): value for name, value in record.items() if value not in (None, [], {}, "")}
    if present.get("success") is True or present.get("ok") is True:
        return None
    extra = {name for name, value in present.items() if name not in BESIDE_ERROR}
    if extra:
        return None
    if _is_error(present.get("error")) or _is_error_list(present.get("errors")):
        return "the whole output is an error object"
    if "error" in (present.get("type"), present.get("object")) and isinstance(present.get("message"), str):
        return "the whole output is an error object"
    return _known_message(present)


def _is_error(error: object) -> bool:
    if isinstance(error, str):
        return NO_ERROR.match(error.strip()) is None and not error.replace(".", "").isdigit()
    if isinstance(error, Mapping):
        names = {name.lower() for name in error if isinstance(name, str)}
        return bool(names & {"message", "code", "type", "status", "msg", "detail", "reason"})
    return error is True


def _is_error_list(errors: object) -> bool:
    return isinstance(errors, list) and any(
        isinstance(each, Mapping) and "message" in each for each in errors
    )


def _known_message(present: Mapping[str, object]) -> str | None:
    said = present.get("message", present.get("detail"))
    if isinstance(said, str) and KNOWN_MESSAGES.match(said):
        return f"the whole output is the server's message {said!r}"
    return None
