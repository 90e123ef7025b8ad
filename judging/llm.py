"""The one door to the models: ask once, get a `Reply` or `Unavailable`. Only here is litellm imported.

Nothing is resent here: `resendable` tells the caller what may be, `Unavailable.retry_after` when.
"""

import asyncio
import contextlib
import gc
import logging
import os
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cache, partial
from queue import Empty, SimpleQueue
from typing import Any, Literal

from judging.domain.masking import without_keys
from judging.domain.pacing import least_context
from judging.domain.params import SENT, check_names
from judging.domain.reasons import PauseReason, SkipReason
from judging.llm_errors import detail_of, read_error, refuses_format, retry_after_of
from judging.llm_secrets import keys_of

type Format = Literal["schema", "json", "none"]
type Came = Reply | Unavailable
type Through = Callable[[Callable[[], Awaitable[Came]]], Awaitable[Came]]

_RESENDABLE = {SkipReason.RATE_LIMITED, SkipReason.TIMEOUT, SkipReason.UNAVAILABLE}
_NOTHING = (Decimal(0), Decimal(0))
_WEAKER: dict[Format, Format] = {"schema": "json", "json": "none"}
_MOST_TOKENS = 100_000_000  # of one answer: a provider that tells of more is not believed
# What a model at an address was found to take, and what of it was found since somebody asked.
_taken: dict[tuple[str, str | None], Format] = {}
_learned: SimpleQueue[tuple[str, str, Format]] = SimpleQueue()


@dataclass(frozen=True, slots=True)
class Call:
    """One question. `model` is litellm's name; `timeout` is in seconds and covers the whole answer.

    `params`: see `judging.domain.params`. `schema`: JSON schema of the reply, None to ask for none. `price`:
    US dollars per million tokens in and out where the judge has its own, else what litellm knows is used.
    `base_url_env`: the name of the variable that `base_url` was read from. `provider`: whose limits it falls
    under, see `judging.domain.pacing.provider_of`. `patient`: it may wait while the provider is down.
    """

    model: str
    messages: Sequence[Mapping[str, str]]
    params: Mapping[str, Any] = field(default_factory=dict)
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    schema: Mapping[str, Any] | None = None
    timeout: float = 60.0
    price: tuple[Decimal, Decimal] | None = None
    base_url_env: str = ""
    provider: str = ""
    patient: bool = True


@dataclass(frozen=True, slots=True)
class Reply:
    """What the provider answered; `model`, `provider_fingerprint` and `refusal` are its own words.

    `cost` is in US dollars. A cost or a token count that nobody knows is None, never 0. `requests`: how many
    were sent for it, those in a response format that was refused included.
    """

    text: str
    finish_reason: str
    model: str
    provider_fingerprint: str
    prompt_tokens: int | None
    completion_tokens: int | None
    cost: Decimal | None
    latency_ms: int
    refusal: str
    requests: int = 1


class Unavailable(Exception):
    """No answer, and why. `retry_after` in seconds where the provider said so. `detail` holds no key.

    `requests`: how many were sent.
    """

    def __init__(
        self,
        code: SkipReason | PauseReason,
        detail: str = "",
        retry_after: float | None = None,
        requests: int = 1,
    ) -> None:
        super().__init__(f"{code}: {detail}" if detail else str(code))
        self.code = code
        self.detail = detail
        self.retry_after = retry_after
        self.requests = requests

    @property
    def scope(self) -> Literal["call", "every_call"]:
        """Whether every further call would fail in the same way, so that a run should pause."""
        return "every_call" if isinstance(self.code, PauseReason) else "call"


def resendable(code: str) -> bool:
    """Whether asking the same again can help."""
    return code in _RESENDABLE


async def _at_once(attempt: Callable[[], Awaitable[Came]]) -> Came:
    return await attempt()


async def ask(call: Call, through: Through = _at_once) -> Reply:
    """Ask once. Raises `Unavailable`, and `InvalidJudgeParams` for parameters that no judge may have.

    A provider that refuses the response format is asked again with a weaker one, which is remembered once it
    brought a reply. Each request is made by `through`, which may wait before, or bring an outcome of its own
    without any request.
    """
    check_names(call.params)
    _check_sendable(call)
    first = wanted = _format(call)
    outcome = await through(partial(_attempt, call, wanted))
    requests = outcome.requests
    while isinstance(outcome, _FormatRefused) and wanted in _WEAKER:
        wanted = _WEAKER[wanted]
        outcome = await through(partial(_attempt, call, wanted))
        requests += outcome.requests
    if isinstance(outcome, Unavailable):
        outcome.requests = requests
        raise outcome
    if wanted != first:
        _learn(call, wanted)
    return replace(outcome, requests=requests) if requests > 1 else outcome


def _learn(call: Call, taken: Format) -> None:
    _taken[call.model, call.base_url] = taken
    _learned.put((call.model, call.base_url_env, taken))


def remember_format(model: str, base_url: str | None, taken: Format | None) -> None:
    """Ask this model at this address in that format from now on; None: as if it was never asked."""
    if taken is None:
        _taken.pop((model, base_url), None)
    else:
        _taken[model, base_url] = taken


def formats_learned() -> dict[tuple[str, str], Format]:
    """What was found since this was last asked, by model and the variable that holds its address."""
    found: dict[tuple[str, str], Format] = {}
    with contextlib.suppress(Empty):
        while True:
            model, base_url_env, taken = _learned.get_nowait()
            found[model, base_url_env] = taken
    return found


async def load() -> None:
    """Import the library, where nobody has yet; other questions of the loop go on meanwhile."""
    await asyncio.to_thread(_litellm)


async def warm_up() -> None:
    """Import the library and let it load what it loads at its first question, without asking anybody.

    It takes seconds, which a worker would rather not spend when a run starts.
    """
    library = await asyncio.to_thread(_litellm)
    await library.acompletion(
        model="openai/warm-up",
        messages=[{"role": "user", "content": "Nobody is asked."}],
        mock_response="Nobody answered.",
        api_key="none",
    )
    # The library's hundreds of thousands of objects stay for good: they need no looking at for garbage.
    gc.collect()
    gc.freeze()


class _FormatRefused(Unavailable):
    """The provider takes the question, only not in this response format."""


def _check_sendable(call: Call) -> None:
    """Raise `Unavailable` for a question that no provider could take, before anything is sent."""
    size = 0
    for message in call.messages:
        try:
            size += len(message["content"].encode())
        except UnicodeEncodeError as error:
            place = f"The prompt cannot be sent: character {error.start} is half of a surrogate pair."
            raise Unavailable(SkipReason.UNENCODABLE, place, requests=0) from None
    context, needed = call.params.get("context_tokens"), least_context(size, call.params)
    if context is not None and needed > context:
        detail = f"It takes about {needed} tokens, its longest reply included; the context has {context}."
        raise Unavailable(SkipReason.CONTEXT_TOO_LONG, detail, requests=0)


def _format(call: Call) -> Format:
    if call.schema is None:
        return "none"
    wanted: Format = call.params.get("response_format", "schema")
    return _taken.get((call.model, call.base_url), wanted) if wanted != "none" else wanted


async def _attempt(call: Call, wanted: Format) -> Reply | Unavailable:
    """One request. Errors are returned, so that none is raised with the library's own in its context."""
    complete = _litellm().acompletion
    started = time.perf_counter()
    try:
        async with asyncio.timeout(call.timeout):
            answer = await complete(**_arguments(call, wanted))
        return _reply(answer, round((time.perf_counter() - started) * 1000), call)
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        # Nobody here gave it up: a connection that was closed beneath the library looks like this.
        return Unavailable(SkipReason.UNAVAILABLE, "The connection was closed before an answer came.")
    except Exception as error:
        return _unavailable(error, call, wanted)


def _arguments(call: Call, wanted: Format) -> dict[str, Any]:
    sent = {name: value for name, value in call.params.items() if name in SENT}
    if wanted == "schema":
        sent["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "verdict", "strict": True, "schema": call.schema},
        }
    elif wanted == "json":
        sent["response_format"] = {"type": "json_object"}
    if (price := _price_to_tell(call)) is not None:
        # With a price given litellm need not look for one, which takes it a sixth of a call's time.
        sent["input_cost_per_token"], sent["output_cost_per_token"] = (
            float(dollars / 1_000_000) for dollars in price
        )
    # Without a key litellm takes the provider's usual one from the environment, which must not go to an
    # address that somebody set.
    key = call.api_key or ("none" if call.base_url else None)
    return sent | {
        "model": call.model,
        "messages": [dict(message) for message in call.messages],
        "base_url": call.base_url,
        "api_key": key,
        "timeout": call.timeout,
        "max_retries": 0,
        "num_retries": 0,
    }


def _price_to_tell(call: Call) -> tuple[Decimal, Decimal] | None:
    """What litellm is told that a token costs; None lets it look that up.

    Nothing where nobody can know it: `_reply` then reports no cost.
    """
    if call.price is not None:
        return call.price
    return _NOTHING if _is_priceless(call) else None


def _is_priceless(call: Call) -> bool:
    """A model of somebody's own: at an address of theirs, under a name that litellm knows no price of."""
    known = _litellm().model_cost
    own_name = call.model.partition("/")[2]
    return (
        call.price is None and call.base_url is not None and call.model not in known and own_name not in known
    )


def _reply(answer: Any, latency_ms: int, call: Call) -> Reply:
    choice = answer.choices[0]
    secrets = keys_of(call.api_key)
    usage = getattr(answer, "usage", None)
    asked, answered = (_tokens(usage, name) for name in ("prompt_tokens", "completion_tokens"))
    return Reply(
        text=without_keys(choice.message.content or "", secrets),
        finish_reason=str(choice.finish_reason or ""),
        model=without_keys(str(answer.model or ""), secrets),
        provider_fingerprint=without_keys(str(getattr(answer, "system_fingerprint", None) or ""), secrets),
        prompt_tokens=asked,
        completion_tokens=answered,
        cost=None if asked is None or answered is None or _is_priceless(call) else _cost(answer),
        latency_ms=latency_ms,
        refusal=without_keys(_refusal(choice.message), secrets),
    )


def _tokens(usage: Any, name: str) -> int | None:
    """A count as the provider gives it; None for one that cannot be, which no database would take either."""
    stated = getattr(usage, name, None)
    return stated if isinstance(stated, int) and 0 <= stated <= _MOST_TOKENS else None


def _refusal(message: Any) -> str:
    fields = getattr(message, "provider_specific_fields", None) or {}
    return str(getattr(message, "refusal", None) or fields.get("refusal") or "")


def _cost(answer: Any) -> Decimal | None:
    """What litellm computed while it read the answer: None for a model whose price it does not know."""
    cost = getattr(answer, "_hidden_params", {}).get("response_cost")
    return None if cost is None else Decimal(str(cost))


def _unavailable(error: Exception, call: Call, wanted: Format) -> Unavailable:
    asked = [message["content"] for message in call.messages]
    code = read_error(error, asked)
    detail = detail_of(error, call.api_key, keys_of(call.api_key))
    refused = code in (SkipReason.BAD_REQUEST, PauseReason.UNSUPPORTED_PARAMETER)
    if refused and wanted != "none" and refuses_format(error, asked):
        return _FormatRefused(code, detail)
    return Unavailable(code, detail, retry_after_of(error))


@cache
def _litellm() -> Any:
    """The library, quiet: it costs seconds and 200 MB, so it is imported with the first question."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    import httpx
    import litellm

    # Nobody is followed to another address: only the one that was asked is on the administrator's list.
    # The library follows by default and has no switch for it; a redirect is now a failed call.
    httpx.Response.has_redirect_location = False  # type: ignore[assignment, method-assign]
    litellm.suppress_debug_info = True
    logging.getLogger("LiteLLM").setLevel(logging.CRITICAL)
    return litellm
