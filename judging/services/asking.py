"""Asking one juror about one row: sent, resent where that can help, and read strictly."""

import random
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import replace
from decimal import Decimal
from time import monotonic

from django.conf import settings

from judging.domain.backoff import pause_before
from judging.domain.correction import corrective_messages, may_correct
from judging.domain.outage import HURRIED, Endurance, Patience
from judging.domain.pacing import expected_tokens
from judging.domain.prompt import build_messages
from judging.domain.reasons import SkipReason
from judging.llm import Call, Came, Reply, Unavailable, ask, resendable
from judging.services.answers import Answer, skipped
from judging.services.gates import gates_here, patience_now
from judging.services.plans import Plan
from judging.services.questions import Question, Sent
from judging.services.reading import material, read


async def ask_juror(plan: Plan, question: Question, call: Call | None = None) -> Answer:
    """The juror's answer, or why there is none. Raises `Unavailable` only for what would hit every call.

    It is raised, too, with `budget_spent`, where a further request could help and the budget allows none.
    `call`: what `call_of` made, for who shows what is sent.
    """
    juror, sent = plan.jurors[question.juror_id], question.sent
    call = call or call_of(plan, question)
    try:
        reply = await reply_to(call, sent)
    except Unavailable as failure:
        if failure.scope == "every_call" or failure.code == SkipReason.BUDGET_SPENT:
            raise
        return skipped(question, juror, failure.code, failure.detail, calls=sent.calls, resends=sent.resends)
    answer = read(plan, question, reply)
    if (
        juror.corrects
        and not sent.is_spent
        and may_correct(answer.reason, reply.text, material(juror, question))
    ):
        answer = await _corrected(plan, answer, reply, call, sent)
    return replace(answer, calls=sent.calls, resends=sent.resends)


async def _corrected(plan: Plan, first: Answer, reply: Reply, call: Call, sent: Sent) -> Answer:
    """What comes of sending an unreadable reply back, once, read as strictly as the first.

    Where that brings no reply, the first one's reason stands.
    """
    before = sent.calls
    try:
        second = await reply_to(correction_of(plan, first, reply, call), sent)
    except Unavailable as failure:
        detail = f"{first.detail} Asked once more, which brought no reply: {failure.code}."
        return replace(first, corrections=int(sent.calls > before), detail=detail)
    answer = read(plan, first.question, second)
    return replace(
        answer,
        corrections=1,
        rejected_reply=first.raw_reply,
        rejected_reason=first.reason,
        prompt_tokens=_sum(first.prompt_tokens, answer.prompt_tokens),
        completion_tokens=_sum(first.completion_tokens, answer.completion_tokens),
        cost=_sum(first.cost, answer.cost),
        latency_ms=_sum(first.latency_ms, answer.latency_ms),
    )


def correction_of(plan: Plan, first: Answer, reply: Reply, call: Call) -> Call:
    """The question again, with the reply and a sentence of the template's on what was wrong with it."""
    template = plan.jurors[first.question.juror_id].template
    assert template.correction is not None
    sentence = template.correction(SkipReason(first.reason), plan.criteria)
    return replace(call, messages=corrective_messages(call.messages, reply.text, sentence))


def _sum[T: (int, Decimal)](first: T | None, second: T | None) -> T | None:
    """Both together; None where of one it is not known."""
    return None if first is None or second is None else first + second


async def reply_to(call: Call, sent: Sent) -> Reply:
    """The reply, resent where that can help; counted in `sent`. Raises `Unavailable` where there is none.

    It gives up after a few resends while the provider answers others; while it is down for all, only after
    VERA_PROVIDER_PATIENCE. Raises `Unavailable` with `budget_spent` where it could go on and `sent` is spent.
    """
    gate = gates_here().gate(call.provider)
    patience = patience_now(Patience(settings.VERA_PROVIDER_PATIENCE) if call.patient else HURRIED)
    expected = expected_tokens(sum(len(message["content"]) for message in call.messages), call.params)

    async def through(attempt: Callable[[], Awaitable[Came]]) -> Came:
        if sent.is_spent:
            return Unavailable(SkipReason.BUDGET_SPENT, requests=0)
        return await gate.send(_counting(attempt, sent), expected, patience)

    failures, endurance = 0, Endurance()
    while True:
        try:
            return await ask(call, through)
        except Unavailable as failure:
            failures += 1
            endured = endurance.lasts(gate.breaker, monotonic(), patience)
            if (pause := _pause(failure, 1 if endured else failures)) is None:
                raise
        if sent.is_spent:
            raise Unavailable(SkipReason.BUDGET_SPENT, requests=0)
        # What is down or told us when to come again, the gate itself keeps waiting for.
        await gate.rest(0.0 if gate.breaker.is_down else pause)
        sent.resends += 1


def _counting(attempt: Callable[[], Awaitable[Came]], sent: Sent) -> Callable[[], Awaitable[Came]]:
    """The request, counted as it is sent: what is given up on the way was sent all the same."""

    async def counted() -> Came:
        sent.calls += 1
        return await attempt()

    return counted


def call_of(plan: Plan, question: Question) -> Call:
    """What the juror is asked, with a boundary of its own."""
    juror, row = plan.jurors[question.juror_id], question.row
    return Call(
        model=juror.model,
        messages=build_messages(
            juror.template.name,
            plan.criteria,
            row.request,
            row.output,
            row.grounding,
            row.criteria_text,
            secrets.token_hex(16),
            juror.examples,
        ),
        params=juror.params,
        base_url=juror.connection.base_url,
        api_key=juror.connection.api_key,
        schema=juror.schema,
        timeout=settings.VERA_CALL_TIMEOUT,
        price=juror.price,
        base_url_env=juror.base_url_env,
        provider=juror.provider,
    )


def _pause(failure: Unavailable, resend: int) -> float | None:
    """Seconds to wait before a resend; None where it is of no use, or was turned away unsent."""
    if not failure.requests or not resendable(failure.code):
        return None
    return pause_before(resend, random.random())  # noqa: S311
