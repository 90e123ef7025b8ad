"""Answers without a question: what is known of a row or a juror already, so that nobody needs to be asked."""

from decimal import Decimal

from judging.domain.reasons import DECIDED, DECIDED_SENTENCE, SKIP_SENTENCES, SkipReason
from judging.domain.verdicts import Outcome
from judging.services.answers import Answer, cut_off, spared
from judging.services.plans import Plan
from judging.services.questions import Question, is_independent
from judging.services.reusing import Earlier


def known_answer(plan: Plan, question: Question) -> Answer | None:
    """The answer that is known without asking; None where the juror must be asked."""
    if question.row.killed:
        return spared(plan, question)
    if question.row.cut_off:
        return cut_off(plan, question)
    if plan.jurors[question.juror_id].recording_id is not None:
        return from_recording(plan, question)
    return taken_over(plan, question, question.earlier) if question.earlier else None


def taken_over(plan: Plan, question: Question, earlier: Earlier) -> Answer:
    """What the juror said to the very same question before. It costs nothing and says where it is from."""
    return Answer(
        question=question,
        outcome=earlier.outcome,
        scores=earlier.scores,
        score=earlier.score,
        feedback=earlier.feedback,
        answered_model=earlier.answered_model,
        provider_fingerprint=earlier.provider_fingerprint,
        cost=Decimal(0),
        independent=is_independent(plan.jurors[question.juror_id].family, question.row.families),
        flags=list(earlier.flags),
        reused_from=earlier.verdict_id,
    )


def from_recording(plan: Plan, question: Question) -> Answer:
    """What the file says, which cost nothing here; skipped where it has no usable verdict on the row."""
    recorded = question.recorded
    usable = recorded is not None and recorded.outcome is not Outcome.SKIPPED
    reason = "" if usable else SkipReason.NO_VERDICT
    return Answer(
        question=question,
        outcome=recorded.outcome if recorded is not None else Outcome.SKIPPED,
        reason=reason,
        detail="" if usable else SKIP_SENTENCES[SkipReason.NO_VERDICT],
        scores=recorded.scores if recorded is not None and usable else (),
        score=recorded.score if recorded is not None and usable else None,
        feedback=recorded.explanation if recorded is not None else "",
        independent=is_independent(plan.jurors[question.juror_id].family, question.row.families),
        flags=list(question.row.flags),
    )


def decided(plan: Plan, question: Question) -> Answer:
    """The answer of a juror that need not be asked: the others have decided what the panel says."""
    return Answer(
        question=question,
        outcome=Outcome.NOT_ASKED,
        reason=DECIDED,
        detail=DECIDED_SENTENCE,
        independent=is_independent(plan.jurors[question.juror_id].family, question.row.families),
        flags=list(question.row.flags),
    )
