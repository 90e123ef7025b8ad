"""What came of a question to a juror, in columns of its verdict: how answers without a reply are made."""

from dataclasses import dataclass, field
from decimal import Decimal

from judging.domain.reasons import KILLED, SKIP_SENTENCES, SkipReason
from judging.domain.reply import storable
from judging.domain.verdicts import Outcome, Score
from judging.llm import Unavailable
from judging.services.plans import Juror, Plan
from judging.services.questions import Question, is_independent


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
