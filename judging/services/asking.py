"""Asking one juror about one row: sent, resent where that can help, and read strictly."""

import logging
import random
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from decimal import Decimal
from time import monotonic

from django.conf import settings

from judging.domain.aggregation import juror_verdict
from judging.domain.backoff import pause_before
from judging.domain.correction import corrective_messages, may_correct
from judging.domain.outage import HURRIED, Endurance, Patience
from judging.domain.pacing import expected_tokens
from judging.domain.prompt import build_messages
from judging.domain.reasons import KILLED, SKIP_SENTENCES, SkipReason
from judging.domain.reply import Parsed, Refused, check_context, check_model, parse_reply, storable
from judging.domain.verdicts import Outcome, Score
from judging.llm import Call, Reply, Unavailable, ask, resendable
from judging.llm import Outcome as Came
from judging.services.gates import gates_here, patience_now
from judging.services.plans import Juror, Plan
from judging.services.questions import Question, Sent, is_independent

log = logging.getLogger(__name__)

RAW_LIMIT = 20_000  # characters of a reply that are kept
_MOST_COST = 1000  # US dollars of one answer: counts of tokens that come to more are not believed


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a question. The fields but the first and `scores` are columns of `Verdict`."""

    question: Question
    outcome: Outcome
    reason: str = ""
    detail: str = ""
    scores: tuple[Score, ...] = ()
    score: float | None = None
    feedback: str = ""
    answered_model: str = ""
    provider_fingerprint: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: Decimal | None = None
    latency_ms: int | None = None
    calls: int = 0
    resends: int = 0
    raw_reply: str = ""
    raw_cut: bool = False
    corrections: int = 0
    rejected_reply: str = ""
    rejected_reason: str = ""
    independent: bool | None = None
    flags: list[str] = field(default_factory=list)
    reused_from: int | None = None  # the verdict on the very same question that was taken over


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
    answer = _read(plan, question, reply)
    if (
        juror.corrects
        and not sent.is_spent
        and may_correct(answer.reason, reply.text, _material(juror, question))
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
    answer = _read(plan, first.question, second)
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


def skipped(question: Question, juror: Juror, code: str, detail: str, *, calls: int, resends: int) -> Answer:
    """An answer without a verdict after calls that brought no reply."""
    return Answer(
        question=question,
        outcome=Outcome.SKIPPED,
        reason=code,
        detail=storable(detail) or SKIP_SENTENCES[SkipReason(code)],
        calls=calls,
        resends=resends,
        independent=is_independent(juror.family, question.row.families),
        flags=list(question.row.flags),
    )


def cut_off(plan: Plan, question: Question) -> Answer:
    """The answer about a candidate that is known to be truncated: nobody is asked."""
    juror = plan.jurors[question.juror_id]
    return Answer(
        question=question,
        outcome=Outcome.SKIPPED,
        reason=SkipReason.INPUT_TRUNCATED,
        detail=SKIP_SENTENCES[SkipReason.INPUT_TRUNCATED],
        independent=is_independent(juror.family, question.row.families),
        flags=list(question.row.flags),
    )


def spared(plan: Plan, question: Question) -> Answer:
    """The answer about a candidate that Layer 1 killed: nobody is asked, so it costs nothing."""
    juror = plan.jurors[question.juror_id]
    return Answer(
        question=question,
        outcome=Outcome.NOT_ASKED,
        reason=KILLED,
        detail=storable(question.row.killed),
        independent=is_independent(juror.family, question.row.families),
        flags=list(question.row.flags),
    )


def refused_row(plan: Plan, question: Question, failure: Unavailable) -> Answer:
    """The answer where the provider refuses this row, time and again, though it answers about others."""
    juror = plan.jurors[question.juror_id]
    detail = f"{failure.code}: {failure.detail}"
    sent = question.sent
    return skipped(question, juror, SkipReason.UNAVAILABLE, detail, calls=sent.calls, resends=sent.resends)


def failed_inside(plan: Plan, question: Question) -> Answer:
    """The answer where Vera itself failed on the row."""
    juror = plan.jurors[question.juror_id]
    sent = question.sent
    return skipped(question, juror, SkipReason.INTERNAL_ERROR, "", calls=sent.calls, resends=sent.resends)


def _read(plan: Plan, question: Question, reply: Reply) -> Answer:
    juror = plan.jurors[question.juror_id]
    try:
        check_model(juror.model, reply.model, juror.params)
        check_context(juror.params, reply.prompt_tokens)
        parsed = _parsed(plan, question, reply)
    except Refused as refused:
        detail = refused.detail or SKIP_SENTENCES[refused.code]
        return _answer(juror, question, reply, Outcome.SKIPPED, refused.code, storable(detail))
    verdict = juror_verdict(plan.criteria, (*parsed.scores, *question.row.rule_scores))
    return _answer(
        juror,
        question,
        reply,
        verdict.outcome,
        scores=verdict.scores,
        score=float(verdict.overall),
        feedback=parsed.feedback,
    )


def _parsed(plan: Plan, question: Question, reply: Reply) -> Parsed:
    candidate, *others = _material(plan.jurors[question.juror_id], question)
    return parse_reply(
        reply.text,
        plan.criteria,
        reply.finish_reason,
        candidate,
        refusal=reply.refusal,
        row_texts=tuple(others),
    )


def _material(juror: Juror, question: Question) -> tuple[str, ...]:
    """Every text that the juror was shown as data, the candidate first: no verdict in it is the juror's."""
    row, examples = question.row, juror.examples
    texts = (row.output, row.request, row.grounding, row.criteria_text)
    return (*texts, *examples.texts) if examples else texts


def _answer(
    juror: Juror,
    question: Question,
    reply: Reply,
    outcome: Outcome,
    reason: str = "",
    detail: str = "",
    *,
    scores: tuple[Score, ...] = (),
    score: float | None = None,
    feedback: str = "",
) -> Answer:
    raw = storable(reply.text or reply.refusal)
    return Answer(
        question=question,
        outcome=outcome,
        reason=reason,
        detail=detail,
        scores=scores,
        score=score,
        feedback=feedback,
        answered_model=storable(reply.model)[:200],
        provider_fingerprint=storable(reply.provider_fingerprint)[:200],
        prompt_tokens=reply.prompt_tokens,
        completion_tokens=reply.completion_tokens,
        cost=_cost(juror, reply),
        latency_ms=reply.latency_ms,
        raw_reply=raw[:RAW_LIMIT],
        raw_cut=len(raw) > RAW_LIMIT,
        independent=is_independent(juror.family, question.row.families),
        flags=list(question.row.flags),
    )


def _cost(juror: Juror, reply: Reply) -> Decimal | None:
    """By the judge's own price where it has one, else as litellm knows it; None where nobody does."""
    cost = reply.cost if juror.price is None else _by_price(juror.price, reply)
    return cost if cost is not None and cost < _MOST_COST else None


def _by_price(price: tuple[Decimal, Decimal], reply: Reply) -> Decimal | None:
    if reply.prompt_tokens is None or reply.completion_tokens is None:
        return None
    asked, answered = price
    return (asked * reply.prompt_tokens + answered * reply.completion_tokens) / 1_000_000
