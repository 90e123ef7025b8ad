"""A reply, read strictly, as an answer: what it costs, what is kept of it, and what it says."""

from decimal import Decimal

from judging.domain.aggregation import juror_verdict
from judging.domain.reasons import SKIP_SENTENCES
from judging.domain.reply import Parsed, Refused, check_context, check_model, parse_reply, storable
from judging.domain.verdicts import Outcome, Score
from judging.llm import Reply
from judging.services.answers import Answer
from judging.services.plans import Juror, Plan
from judging.services.questions import Question, is_independent

RAW_LIMIT = 20_000  # characters of a reply that are kept
_MOST_COST = 1000  # US dollars of one answer: counts of tokens that come to more are not believed


def read(plan: Plan, question: Question, reply: Reply) -> Answer:
    """The verdict that a reply holds, or the reason why it is none."""
    juror = plan.jurors[question.juror_id]
    try:
        check_model(juror.model, reply.model, juror.params)
        check_context(juror.params, reply.prompt_tokens)
        parsed = _parsed(plan, question, reply)
    except Refused as refused:
        detail = refused.detail or SKIP_SENTENCES[refused.code]
        return _answer(juror, question, reply, Outcome.SKIPPED, refused.code, storable(detail))
    verdict = juror_verdict(plan.criteria, (*parsed.scores, *question.row.rule_scores))
    assert verdict.overall is not None
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
    candidate, *others = material(plan.jurors[question.juror_id], question)
    return parse_reply(
        reply.text,
        plan.criteria,
        reply.finish_reason,
        candidate,
        refusal=reply.refusal,
        row_texts=tuple(others),
    )


def material(juror: Juror, question: Question) -> tuple[str, ...]:
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
