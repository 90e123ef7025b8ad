"""Sharing what a provider allows: whose limit it is, when the next question is due, who may have how many.

The pace is the generic cell rate algorithm (ITU-T Recommendation I.371, annex A, “virtual scheduling”; ATM
Forum, Traffic Management 4.1): one time is kept, when the next question is due if all come evenly. A question
may come up to a tolerance before it and moves it on by what the question weighs. Times are in seconds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import Any, Protocol

WINDOW = 60.0  # limits are per minute
EARLY = 1.0  # before it is due: what may come at once after a quiet time is a second's worth
PERMIT_LIFE = 1.0  # from the permit to the sending
_TRAVEL = 0.5  # from the sending to the provider's count, more or less
_SPAN = WINDOW + PERMIT_LIFE + _TRAVEL + EARLY + 0.01
_LATEST = 2 * WINDOW  # further ahead no question is due, whatever a clock that jumped says
_CHARACTERS_PER_TOKEN, _BYTES_PER_TOKEN, _REPLY_TOKENS = 4, 4, 300
_LONGEST_NAME = 200
_TURN = 10.0  # seconds after which shares that do not divide evenly move on by one worker

# Models that litellm knows without a prefix, by how their names begin.
_BARE_NAMES = {
    "gpt-": "openai",
    "chatgpt-": "openai",
    "o1": "openai",
    "o3": "openai",
    "o4": "openai",
    "claude": "anthropic",
    "gemini": "gemini",
    "mistral": "mistral",
    "command": "cohere",
    "deepseek": "deepseek",
}


class Asked(Protocol):
    """What a judge version says of where it is asked."""

    @property
    def model(self) -> str: ...
    @property
    def base_url_env(self) -> str: ...
    @property
    def api_key_env(self) -> str: ...


def provider_of(asked: Asked) -> str:
    """The account that shares a limit: `openai`, `openai:VERA_JUROR_SECOND_KEY`, `VERA_JUROR_OLLAMA_URL`.

    It is litellm's prefix, or the variable that holds the address, with the variable that holds the key
    where that is not the provider's usual one.
    """
    place = asked.base_url_env or _prefix(asked.model)
    key = asked.api_key_env
    usual = place.replace("_", "").upper() + "APIKEY"
    own = not key or key.replace("_", "") == usual
    return (place if own else f"{place}:{key}")[:_LONGEST_NAME]


def provider_words(provider: str) -> str:
    """A provider's name for people: `VERA_JUROR_ONE_URL, key VERA_JUROR_ONE_KEY`."""
    place, colon, key = provider.rpartition(":")
    return f"{place}, key {key}" if colon and key.isupper() else provider


def _prefix(model: str) -> str:
    prefix, slash, _ = model.partition("/")
    if slash:
        return prefix.lower() or model
    return next((name for start, name in _BARE_NAMES.items() if model.startswith(start)), model)


@dataclass(frozen=True, slots=True)
class Admitted:
    """How many of those who asked may go, when the next is due then, and in how many seconds one may go."""

    count: int
    due: float
    wait: float


def admit(limit: int, due: float, now: float, weights: Sequence[int]) -> Admitted:
    """Who of a line may go now at `limit` (of weight) per minute; a request weighs 1, or its tokens.

    In any sliding minute no more than the limit goes through, permits that are used up to a second later
    included, where all weigh the same; a mixture can go beyond that by its heaviest question.
    """
    due = min(due, now + _LATEST)
    for count, weight in enumerate(weights):
        if now < due - EARLY:
            return Admitted(count, due, due - EARLY - now)
        due = max(due, now) + charge(limit, weight)
    return Admitted(len(weights), due, max(0.0, due - EARLY - now))


def charge(limit: int, weight: int) -> float:
    """The seconds of a limit that a weight takes up.

    A little more than its even share: what is permitted early and sent late must not be one too many.
    """
    weight = max(1, weight)
    most = max(1, floor(limit / weight + 1e-9))
    return min(_LATEST, max(WINDOW * weight / limit, _SPAN / most))


def corrected(limit: int, due: float, now: float, tokens: int) -> float:
    """When the next is due, once `tokens` more (below 0: fewer) turn out to have been used than thought."""
    return min(max(due, now) + WINDOW * tokens / limit, now + _LATEST)


def expected_tokens(characters: int, params: Mapping[str, Any]) -> int:
    """About how many tokens a question and its reply will take, before it is asked."""
    return ceil(characters / _CHARACTERS_PER_TOKEN) + (reply_limit(params) or _REPLY_TOKENS)


def least_context(size: int, params: Mapping[str, Any]) -> int:
    """About how many tokens of context a prompt of `size` bytes (UTF-8) needs, its longest reply included."""
    return ceil(size / _BYTES_PER_TOKEN) + reply_limit(params)


def reply_limit(params: Mapping[str, Any]) -> int:
    """The most tokens that a reply may have; 0 where the judge sets no limit."""
    return int(params.get("max_completion_tokens") or params.get("max_tokens") or 0)


@dataclass(frozen=True, slots=True)
class Claim:
    """A worker's part in a limit of calls in flight: what it has, could use and cannot give back."""

    worker: str
    calls: int = 0
    wanted: int = 0
    in_flight: int = 0


@dataclass(frozen=True, slots=True)
class Part:
    """What a worker may have in flight from now on, and what is kept for it while more of its calls are."""

    allowed: int
    kept: int


def share_of(limit: int, claim: Claim, others: Mapping[str, int], now: float) -> Part:
    """A worker's part in a limit of calls in flight; `others`: what is kept for the other live workers.

    All together never have more than the limit. Each gets its even part; what others leave may be used as
    long as one call stays free: that nothing is free is how a worker that waits for its part is noticed.
    """
    left = max(0, limit - sum(others.values()))
    allowed = min(left, _wish(limit, claim, others, now))
    return Part(allowed, min(left, max(allowed, claim.in_flight)))


def _wish(limit: int, claim: Claim, others: Mapping[str, int], now: float) -> int:
    part = even_part(limit, claim.worker, [claim.worker, *others], now)
    if claim.wanted <= part or not others:
        return claim.wanted
    left = limit - sum(others.values())
    least = max(1, limit // (len(others) + 1))
    if left <= claim.calls and any(calls < least for calls in others.values()):
        return part  # somebody waits
    return max(part, min(claim.wanted, left - 1))


def even_part(limit: int, worker: str, workers: Sequence[str], now: float) -> int:
    """A worker's even part. What does not divide evenly goes round, so that nobody has none for good."""
    place = sorted(workers).index(worker)
    part, over = divmod(limit, len(workers))
    return part + ((place + int(now // _TURN)) % len(workers) < over)
