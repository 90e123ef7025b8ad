"""Read what litellm raises, by the names of its classes: the reason, when to come again, what to tell."""

import math
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from email.utils import parsedate_to_datetime
from typing import Any

from judging.domain.masking import without_key, without_keys
from judging.domain.reasons import PauseReason, SkipReason

_MAX_DETAIL = 500
_LONGEST_WAIT = 86_400.0  # seconds
# What litellm puts before the provider's words: its own class, the client's, then "OpenAIException - ".
_CLASS_NAMES = re.compile(
    r"(?:litellm\.\w+: )+(?:\w+(?:Error|Timeout): )?(?:\w+(?:Exception|Error)(?: \w+Error)? - )?(?=\S)"
)
_LOOKS_LIKE_KEY = re.compile(r"\b(?:sk|gsk|xai|pplx|AIza)[-_A-Za-z0-9]{12,}|(?<=Bearer )\S+")

_BY_PROVIDER_CODE: dict[Any, SkipReason | PauseReason] = {
    "insufficient_quota": PauseReason.NO_CREDIT,
    "context_length_exceeded": SkipReason.CONTEXT_TOO_LONG,
    "content_filter": SkipReason.CONTENT_FILTER,
    "content_policy_violation": SkipReason.CONTENT_FILTER,
    "unsupported_parameter": PauseReason.UNSUPPORTED_PARAMETER,
    "unsupported_value": PauseReason.UNSUPPORTED_PARAMETER,
}
# Where there is neither a code nor a status of its own: Anthropic's empty account, litellm's unknown prefix.
_BY_SENTENCE = {
    "credit balance is too low": PauseReason.NO_CREDIT,
    "LLM Provider NOT provided": PauseReason.UNKNOWN_MODEL,
}
_FORMAT_WORDS = ("response_format", "json_schema")
# What passes, and the statuses of a fault in the question, which does not.
_PASSING = (SkipReason.RATE_LIMITED, SkipReason.TIMEOUT, SkipReason.UNAVAILABLE)
_FAULTY = (400, 422)
_DEEPEST = 10  # exceptions, one the cause of another
# Subclasses are looked up before their bases.
_BY_CLASS: dict[str, SkipReason | PauseReason] = {
    "TimeoutError": SkipReason.TIMEOUT,
    "Timeout": SkipReason.TIMEOUT,
    "ContextWindowExceededError": SkipReason.CONTEXT_TOO_LONG,
    "ContentPolicyViolationError": SkipReason.CONTENT_FILTER,
    "PaymentRequiredError": PauseReason.NO_CREDIT,
    "AuthenticationError": PauseReason.AUTHENTICATION,
    "PermissionDeniedError": PauseReason.PERMISSION_DENIED,
    "NotFoundError": PauseReason.UNKNOWN_MODEL,
    "LiteLLMUnknownProvider": PauseReason.UNKNOWN_MODEL,
    "UnsupportedParamsError": PauseReason.UNSUPPORTED_PARAMETER,
    "RateLimitError": SkipReason.RATE_LIMITED,
    "BadRequestError": SkipReason.BAD_REQUEST,
    "UnprocessableEntityError": SkipReason.BAD_REQUEST,
}
_BY_STATUS: dict[int, SkipReason | PauseReason] = {
    401: PauseReason.AUTHENTICATION,
    402: PauseReason.NO_CREDIT,
    403: PauseReason.PERMISSION_DENIED,
    404: PauseReason.UNKNOWN_MODEL,
    408: SkipReason.TIMEOUT,
    413: SkipReason.CONTEXT_TOO_LONG,
    429: SkipReason.RATE_LIMITED,
}


def read_error(error: Exception, asked: Sequence[str] = ()) -> SkipReason | PauseReason:
    """The reason for an exception of litellm, `asyncio` or the network; `unavailable` where nothing fits.

    `asked`: the texts of the question. What stands in one of them may be an echo and proves nothing.
    """
    found = _by_provider_code(error) or _by_sentence(error, asked) or _by_class(error) or _by_status(error)
    if found in _PASSING and _own_status(error) in _FAULTY:
        return SkipReason.BAD_REQUEST  # litellm takes such words for it wherever they stand in the error
    return found


def refuses_format(error: Exception, asked: Sequence[str]) -> bool:
    """Whether a bad request is so for its response format: it names the parameter, or says so itself."""
    if str(_body(error).get("param") or "").startswith(_FORMAT_WORDS):
        return True
    return any(_says(error, word, asked) for word in _FORMAT_WORDS)


def _says(error: Exception, words: str, asked: Sequence[str]) -> bool:
    """Whether the provider says it, and cannot have it from the question, which many repeat."""
    return words in str(error) and not any(words.casefold() in text.casefold() for text in asked)


def _own_status(error: BaseException) -> int | None:
    """The status that the provider answered with, as the exception says that litellm began with."""
    status, seen = None, 0
    cause: BaseException | None = error
    while cause is not None and seen < _DEEPEST:
        stated = getattr(cause, "status_code", None)
        status = stated if isinstance(stated, int) else status
        cause, seen = cause.__cause__ or cause.__context__, seen + 1
    return status


def _body(error: Exception) -> Mapping[str, Any]:
    body = getattr(error, "body", None)
    return body if isinstance(body, Mapping) else {}


def _by_provider_code(error: Exception) -> SkipReason | PauseReason | None:
    """The provider's own code in the error's body, the one thing in it that no echoed prompt can imitate."""
    body = _body(error)
    said = [code for code in (body.get("code"), body.get("type")) if isinstance(code, str)]
    return next((_BY_PROVIDER_CODE[code] for code in said if code in _BY_PROVIDER_CODE), None)


def _by_sentence(error: Exception, asked: Sequence[str]) -> PauseReason | None:
    found = (reason for sentence, reason in _BY_SENTENCE.items() if _says(error, sentence, asked))
    return next(found, None)


def _by_class(error: Exception) -> SkipReason | PauseReason | None:
    ancestors = (ancestor.__name__ for ancestor in type(error).__mro__)
    return next((_BY_CLASS[name] for name in ancestors if name in _BY_CLASS), None)


def _by_status(error: Exception) -> SkipReason | PauseReason:
    status: Any = getattr(error, "status_code", None)
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    refused = isinstance(status, int) and 400 <= status < 500
    return SkipReason.BAD_REQUEST if refused else SkipReason.UNAVAILABLE


def retry_after_of(error: Exception) -> float | None:
    """Seconds the provider asks to wait, as a number or a date in its headers; None where it does not say.

    No more than a day is believed, and nothing that is no time.
    """
    headers = (
        getattr(getattr(error, "response", None), "headers", None) or getattr(error, "headers", None) or {}
    )
    in_ms, stated = headers.get("retry-after-ms"), headers.get("retry-after")
    seconds = None if in_ms is None else _number(in_ms)
    if seconds is not None:
        seconds /= 1000
    elif stated is not None:
        seconds = _number(stated)
        seconds = _seconds_until(stated) if seconds is None else seconds
    return None if seconds is None else min(max(0.0, seconds), _LONGEST_WAIT)


def _number(stated: str) -> float | None:
    try:
        number = float(stated)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _seconds_until(date: str) -> float | None:
    try:
        return parsedate_to_datetime(date).timestamp() - time.time()
    except (ValueError, TypeError, OverflowError):
        return None


def detail_of(error: Exception, api_key: str | None, keys: Iterable[str] = ()) -> str:
    """What the provider says in the error, without the key it was asked with or any of `keys`; a paragraph
    at most.
    """
    said = _CLASS_NAMES.sub("", str(error), count=1) if str(error).startswith("litellm.") else str(error)
    text = without_keys(without_key(said or type(error).__name__, api_key), keys)
    return _LOOKS_LIKE_KEY.sub("[key]", text)[:_MAX_DETAIL]
