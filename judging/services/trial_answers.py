"""What a trial asks and what comes of it, as values that a page can show: never a key, never a verdict."""

import logging
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

from judging.domain.aggregation import JurorVerdict, juror_verdict, panel_verdict, score_by_rules
from judging.domain.params import SENT
from judging.domain.precheck import Case, criteria_text_of, run_precheck
from judging.domain.prompt import UnknownTemplate, flags
from judging.domain.reasons import SKIP_SENTENCES, PauseReason, SkipReason
from judging.domain.remedies import remedy
from judging.domain.reply import storable
from judging.domain.verdicts import Outcome
from judging.llm import Call, Unavailable
from judging.models import JudgeVersion, Run, Trial
from judging.services.answers import Answer, cut_off, failed_inside
from judging.services.asking import ask_juror, call_of
from judging.services.connections import NotConfigured
from judging.services.plans import Plan, plan_of
from judging.services.questions import Question, Row
from labeling.domain.criteria import CriteriaSpec
from labeling.services.criteria import spec_of

log = logging.getLogger(__name__)

_MESSAGE_LIMIT = 20_000  # characters of a message that are kept
type Sender = Callable[[Coroutine[Any, Any, Answer]], Future[Answer]]


@dataclass(slots=True)
class Asked:
    """One juror's question; without `plan` and `call` where it cannot be asked: `code`, `problem` say why."""

    juror: JudgeVersion
    question: Question
    plan: Plan | None = None
    call: Call | None = None
    problem: str = ""
    code: PauseReason = PauseReason.NOT_CONFIGURED
    future: Future[Answer] | None = field(default=None)

    def send(self, run: Sender) -> Future[Answer] | None:
        """Ask, unless that is no use."""
        if self.plan and self.call and not self.question.row.cut_off:
            self.future = run(ask_juror(self.plan, self.question, self.call))
        return self.future


def questions_of(trial: Trial) -> list[Asked]:
    """The question to each juror; a juror whose key or address is not set up does not hold up the others."""
    criteria = spec_of(trial.criteria_version)
    row = _row(trial, criteria)
    return [_asked(trial, juror, Question(0, juror.pk, row)) for juror in trial.judge_version.jurors()]


def _row(trial: Trial, criteria: CriteriaSpec) -> Row:
    texts = texts_of(trial)
    arrivals = list(trial.candidate.submissions.all()) if trial.candidate else []
    return Row(
        verdict_id=0,
        request=texts["request"],
        output=texts["output"],
        grounding=texts["grounding"],
        criteria_text=texts["criteria_text"],
        rule_scores=score_by_rules(criteria, texts["output"]),
        flags=tuple(flags(texts["output"])),
        families=frozenset(arrival.generator_family for arrival in arrivals),
        cut_off=bool(arrivals) and all(arrival.truncated for arrival in arrivals),
    )


def texts_of(trial: Trial) -> dict[str, str]:
    """The four texts that are judged: of the row, or as they were typed."""
    names = ("request", "output", "grounding", "criteria_text")
    if trial.candidate:
        return {name: getattr(trial.candidate, name) for name in names}
    return {name: trial.texts.get(name, "") for name in names}


def _asked(trial: Trial, juror: JudgeVersion, question: Question) -> Asked:
    # A plan is a run's; this run is never saved.
    run = Run(judge_version=juror, criteria_version=trial.criteria_version)
    try:
        plan = plan_of(run)
    except NotConfigured as missing:
        return Asked(juror, question, problem=str(missing))
    except UnknownTemplate as unknown:
        return Asked(juror, question, problem=str(unknown), code=PauseReason.UNKNOWN_TEMPLATE)
    # Somebody looks on: a provider that is down is told of at once.
    return Asked(juror, question, plan, replace(call_of(plan, question), patient=False))


def answers_of(trial: Trial, asked: list[Asked]) -> dict[str, Any]:
    """What `Trial.answers` holds: `layer1`, `jurors` in their order, and `panel` where it is one."""
    criteria = spec_of(trial.criteria_version)
    read = [_read(each) for each in asked]
    jurors = [_told(each, criteria, answer) for each, answer in zip(asked, read, strict=True)]
    found: dict[str, Any] = {"layer1": _layer1(trial), "jurors": jurors}
    if trial.judge_version.kind == JudgeVersion.Kind.PANEL:
        found["panel"] = _panel(trial, criteria, read)
    return found


def _read(asked: Asked) -> Answer | Unavailable | None:
    """The answer, what would fail every call, or None for a juror that is not set up."""
    if asked.plan is None:
        return None
    if asked.question.row.cut_off:
        return cut_off(asked.plan, asked.question)
    if asked.future is None or not asked.future.done():
        return Unavailable(SkipReason.TIMEOUT)
    try:
        return asked.future.result()
    except Unavailable as failure:
        return failure
    except CancelledError:
        return Unavailable(SkipReason.TIMEOUT)
    except Exception as error:
        log.error("Asking %s on trial failed.", asked.juror, exc_info=error)
        return failed_inside(asked.plan, asked.question)


def _told(asked: Asked, criteria: CriteriaSpec, answer: Answer | Unavailable | None) -> dict[str, Any]:
    told: dict[str, Any] = {"judge": str(asked.juror), "slug": asked.juror.judge.slug, "sent": _sent(asked)}
    if answer is None:
        return told | _skip(asked, asked.code, "") | {"sentence": asked.problem}
    if isinstance(answer, Unavailable):
        return told | _skip(asked, answer.code, answer.detail)
    told |= {
        "outcome": str(answer.outcome),
        "scores": _scores(criteria, answer),
        "score": answer.score,
        "feedback": answer.feedback,
        "raw_reply": answer.raw_reply,
        "raw_cut": answer.raw_cut,
        "corrections": answer.corrections,
        "rejected_reply": answer.rejected_reply,
        "rejected_sentence": _sentence_of(answer.rejected_reason),
        "answered_model": answer.answered_model,
        "provider_fingerprint": answer.provider_fingerprint,
        "prompt_tokens": answer.prompt_tokens,
        "completion_tokens": answer.completion_tokens,
        "cost": None if answer.cost is None else str(answer.cost),
        "latency_ms": answer.latency_ms,
        "resends": answer.resends,
        "independent": answer.independent,
        "flags": answer.flags,
    }
    if answer.outcome is not Outcome.SKIPPED:
        return told
    return told | _skip(asked, answer.reason, answer.detail, answer.answered_model)


def _sentence_of(reason: str) -> str:
    return SKIP_SENTENCES[SkipReason(reason)] if reason else ""


def _skip(asked: Asked, code: str, detail: str, answered: str = "") -> dict[str, Any]:
    juror = asked.juror
    names = {"model": juror.model, "key_env": juror.api_key_env, "address_env": juror.base_url_env}
    sentence = remedy(code, **names, answered=answered)
    said = storable(detail)
    return {
        "outcome": str(Outcome.SKIPPED),
        "code": str(code),
        "sentence": sentence,
        "detail": "" if said == sentence else said,
    }


def _scores(criteria: CriteriaSpec, answer: Answer) -> list[dict[str, Any]]:
    asked = {criterion.name: criterion for criterion in criteria.criteria}
    judged = {criterion.name for criterion in criteria.judged}
    return [
        {
            "name": score.name,
            "score": score.score,
            "highest": asked[score.name].scale_max,
            "reason": score.reason,
            "by_rule": score.name not in judged,
        }
        for score in answer.scores
    ]


def _sent(asked: Asked) -> dict[str, Any] | None:
    """The request as it goes out, the key left out; None where there was none."""
    if asked.call is None or asked.future is None:
        return None
    call = asked.call
    return {
        "model": call.model,
        "address": _address(call.base_url),
        "params": {name: value for name, value in call.params.items() if name in SENT},
        "format": call.params.get("response_format", "schema"),
        "timeout": call.timeout,
        "messages": [
            {
                "role": message["role"],
                "content": message["content"][:_MESSAGE_LIMIT],
                "unsent": max(0, len(message["content"]) - _MESSAGE_LIMIT),
            }
            for message in call.messages
        ],
    }


def _address(base_url: str | None) -> str:
    """Where it was asked, without path and query, which may hold what is nobody's business."""
    if base_url is None:
        return ""
    parts = urlsplit(base_url)
    return f"{parts.scheme}://{parts.netloc}"


def _layer1(trial: Trial) -> dict[str, Any]:
    texts = texts_of(trial)
    stated = criteria_text_of(
        {"name": criterion.name, "description": criterion.description}
        for criterion in trial.criteria_version.criteria.all()
    )
    newest = trial.candidate.submissions.order_by("-pk").first() if trial.candidate else None
    found = run_precheck(
        Case(
            candidate=texts["output"],
            criteria="\n".join(filter(None, [texts["criteria_text"], stated])),
            request=texts["request"],
            grounding=texts["grounding"],
            meta=newest.meta if newest else {},
        )
    )
    return {"check": found.check or "", "reason": found.reason or "", "checks": len(found.checks_run)}


def _panel(trial: Trial, criteria: CriteriaSpec, read: list[Answer | Unavailable | None]) -> dict[str, Any]:
    human = "human" in (trial.judge_version.on_split, trial.criteria_version.criteria_set.on_split)
    verdict = panel_verdict([_counted(criteria, each) for each in read], "human" if human else "majority")
    return {
        "outcome": str(verdict.outcome),
        "code": str(verdict.reason or ""),
        "sentence": SKIP_SENTENCES[verdict.reason] if verdict.reason else "",
        "confidence": None if verdict.confidence is None else float(verdict.confidence),
        "scores": [{"name": name, "score": float(score)} for name, score in verdict.scores.items()],
        "feedback": [str(shortfall) for shortfall in verdict.shortfalls],
        "human": human,
    }


def _counted(criteria: CriteriaSpec, answer: Answer | Unavailable | None) -> JurorVerdict | None:
    if not isinstance(answer, Answer) or answer.outcome not in (Outcome.PASS, Outcome.FAIL):
        return None
    return juror_verdict(criteria, answer.scores)
