"""Runs: started, paused, resumed, cancelled, finished."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

from django.db import transaction
from django.db.models import F, QuerySet, Sum
from django.db.models.functions import Length
from django.utils import timezone

from judging.domain.reasons import PauseReason, SkipReason
from judging.models import JudgeVersion, Run, Schedule, Verdict
from judging.services.calibration import layer1_of
from judging.services.certification import certify_run
from judging.services.filling import skip_rows
from judging.services.plans import price_of
from judging.services.writing import insert_verdicts
from labeling.access import AnyUser
from labeling.domain.criteria import InvalidCriteria, check_criteria
from labeling.models import Candidate, CriteriaSet, CriteriaVersion
from labeling.services.audit import record
from labeling.services.criteria import spec_of

log = logging.getLogger(__name__)

type Scope = Literal["certify", "tune", "all", "unlabelled"]

# For the estimate only: a token is some four characters; what the instructions and one scored criterion take.
_CHARACTERS_PER_TOKEN, _PROMPT_TOKENS, _REPLY_TOKENS = 4, 500, 60


class CannotRun(ValueError):
    """This run cannot be; the sentence says why and what to do."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run will take if nothing is resent. `cost` in US dollars, None where a juror has no price."""

    rows: int
    calls: int
    cost: Decimal | None


def candidates_of(
    criteria_version: CriteriaVersion, scope: Scope, include_unlabelled: bool
) -> QuerySet[Candidate]:
    """The golden rows of a split (or of both), with those nobody has labelled if wanted; or these alone."""
    every = Candidate.objects.filter(criteria_set=criteria_version.criteria_set_id)
    if scope == "unlabelled":
        return every.unlabelled(criteria_version)
    if scope != "all":
        every = every.filter(split=scope)
    chosen = every.golden(criteria_version).values("pk")
    if include_unlabelled:
        chosen = chosen.union(every.unlabelled(criteria_version).values("pk"))
    return Candidate.objects.filter(pk__in=chosen)


def estimate(
    *,
    judge_version: JudgeVersion,
    criteria_version: CriteriaVersion,
    scope: Scope = "certify",
    include_unlabelled: bool = False,
) -> Estimate:
    """The expected number of rows, calls and dollars. Raises `CannotRun` where it could not be started."""
    jurors = _checked_jurors(judge_version, criteria_version)
    candidates = candidates_of(criteria_version, scope, include_unlabelled)
    rows = candidates.count()
    texts = ("request", "output", "grounding", "criteria_text")
    lengths = candidates.aggregate(**{f"n_{text}": Sum(Length(text)) for text in texts})
    characters = sum(lengths[f"n_{text}"] or 0 for text in texts)
    asked = rows * _PROMPT_TOKENS + characters // _CHARACTERS_PER_TOKEN
    answered = rows * _REPLY_TOKENS * len(spec_of(criteria_version).judged)
    return Estimate(rows, rows * len(jurors), _cost(jurors, asked, answered))


def _cost(jurors: Sequence[JudgeVersion], asked: int, answered: int) -> Decimal | None:
    total = Decimal(0)
    for juror in jurors:
        price = price_of(juror)
        if price is None:
            return None
        total += (price[0] * asked + price[1] * answered) / 1_000_000
    return total


@transaction.atomic
def start_run(
    *,
    judge_version: JudgeVersion,
    criteria_version: CriteriaVersion,
    kind: str = Run.Kind.CALIBRATION,
    scope: Scope = "certify",
    include_unlabelled: bool = False,
    max_calls: int | None = None,
    max_cost: Decimal | None = None,
    schedule: Schedule | None = None,
    candidates: QuerySet[Candidate] | None = None,
    actor: AnyUser | None = None,
) -> Run:
    """Write a run with one pending verdict per row and, for a panel, one per row and juror.

    `schedule`: what started it by itself. `candidates`: the rows, where they are chosen already.
    The caller tells the workers, on commit, with `judging.tasks.start_work`. Raises `CannotRun`.
    """
    jurors = _checked_jurors(judge_version, criteria_version)
    run = Run.objects.create(
        judge_version=judge_version,
        criteria_version=criteria_version,
        kind=kind,
        on_split=_on_split(judge_version, criteria_version),
        max_calls=_checked_budget(max_calls),
        max_cost=_checked_budget(max_cost),
        schedule=schedule,
        created_by=actor if actor is not None and actor.is_authenticated else None,
    )
    if candidates is None:
        candidates = candidates_of(criteria_version, scope, include_unlabelled)
    if not _write_pending(run, jurors, candidates):
        raise CannotRun(_no_rows(scope, include_unlabelled))
    _record(run, actor, "run_started")
    return run


def _checked_jurors(judge_version: JudgeVersion, criteria_version: CriteriaVersion) -> list[JudgeVersion]:
    try:
        check_criteria(spec_of(criteria_version))
    except InvalidCriteria as invalid:
        raise CannotRun(f"{criteria_version} cannot be judged by: {invalid}") from None
    jurors = judge_version.jurors()
    if not jurors:
        raise CannotRun(f"The panel {judge_version} has no jurors. Add some, as a new version.")
    for juror in jurors:
        if juror.kind != JudgeVersion.Kind.MODEL:
            raise CannotRun(f"{juror} in the panel {judge_version} is itself a panel; jurors must be models.")
    return jurors


def _checked_budget[T: (int, Decimal)](budget: T | None) -> T | None:
    if budget is not None and budget <= 0:
        raise CannotRun("A budget must be above zero. Leave it out for none.")
    return budget


def _no_rows(scope: Scope, include_unlabelled: bool) -> str:
    if scope == "unlabelled":
        return "There are no rows that nobody has labelled. Import some, then run again."
    where = "" if scope == "all" else f" of the {scope} split"
    if include_unlabelled:
        return f"There are no rows{where} to judge. Import some first."
    return f"There are no golden rows{where} yet. Label some, or import a file with verdicts, then run again."


def _on_split(judge_version: JudgeVersion, criteria_version: CriteriaVersion) -> str:
    settings = {criteria_version.criteria_set.on_split}
    if judge_version.kind == JudgeVersion.Kind.PANEL:
        settings.add(judge_version.on_split)
    human: str = CriteriaSet.OnSplit.HUMAN
    return human if human in settings else CriteriaSet.OnSplit.MAJORITY


def _write_pending(run: Run, jurors: Sequence[JudgeVersion], candidates: QuerySet[Candidate]) -> int:
    own = {"candidate_id": F("pk"), "candidate_hash": F("content_hash")}
    if run.judge_version.kind == JudgeVersion.Kind.MODEL:
        return insert_verdicts(candidates, **_pending(run, run.judge_version, "juror"), **own)
    written = insert_verdicts(candidates, **_pending(run, run.judge_version, "panel"), **own)
    panels = Verdict.objects.filter(run=run, kind="panel")
    beneath = {name: F(name) for name in ("candidate_id", "candidate_hash")} | {"panel_verdict_id": F("pk")}
    for juror in jurors:
        insert_verdicts(panels, **_pending(run, juror, "juror"), **beneath)
    return written


def _pending(run: Run, judge: JudgeVersion, kind: str) -> dict[str, Any]:
    return {
        "run_id": run.pk,
        "judge_version_id": judge.pk,
        "kind": kind,
        "fingerprint": judge.fingerprint,
        "threshold": run.criteria_version.threshold,
    }


def pause_run(*, run_id: int, reason: PauseReason, detail: str = "") -> bool:
    """Pause a running run; False when it was not running any more."""
    paused = Run.objects.filter(pk=run_id, state=Run.State.RUNNING).update(
        state=Run.State.PAUSED, pause_reason=reason, pause_detail=detail
    )
    if paused:
        log.warning("Run %s is paused: %s. %s", run_id, reason, detail)
    return bool(paused)


@transaction.atomic
def resume_run(
    *,
    run: Run,
    max_calls: int | None = None,
    max_cost: Decimal | None = None,
    actor: AnyUser | None = None,
) -> Run:
    """Let a paused run go on, with higher budgets where given. The caller tells the workers, on commit.

    A run that paused because nobody knows a price gives up its budget in money for one in calls.
    """
    locked = Run.objects.select_for_update().get(pk=run.pk)
    if locked.state != Run.State.PAUSED:
        raise CannotRun(f"Only a paused run can be resumed; this one is {locked.state}.")
    locked.max_calls = _checked_budget(max_calls) or locked.max_calls
    locked.max_cost = _checked_budget(max_cost) or locked.max_cost
    if max_calls and locked.pause_reason == PauseReason.PRICE_UNKNOWN:
        locked.max_cost = None
    locked.state, locked.pause_reason, locked.pause_detail = Run.State.RUNNING, "", ""
    locked.save()
    _record(locked, actor, "run_resumed")
    return locked


def cancel_run(*, run: Run, actor: AnyUser | None = None) -> Run:
    """End a run early: what is not judged yet is skipped as cancelled, what is judged stays.

    A judge with nothing better to show is uncertified from now on because its run is incomplete.
    """
    known = layer1_of(run)
    with transaction.atomic():
        return _cancel(run, known, actor)


def _cancel(run: Run, known: Mapping[int, str], actor: AnyUser | None) -> Run:
    locked = Run.objects.select_for_update().get(pk=run.pk)
    if locked.state not in (Run.State.RUNNING, Run.State.PAUSED):
        raise CannotRun(f"This run is {locked.state} already; there is nothing to cancel.")
    locked.state, locked.finished_at = Run.State.CANCELLED, timezone.now()
    locked.pause_reason = locked.pause_detail = ""
    locked.save()
    skip_rows(Verdict.objects.filter(run=locked), SkipReason.CANCELLED)
    certify_run(run=locked, known=known)
    _record(locked, actor, "run_cancelled")
    return locked


def _record(run: Run, actor: AnyUser | None, action: str) -> None:
    criteria_set = run.criteria_version.criteria_set
    record(actor=actor, action=action, subject=str(run), criteria_set=criteria_set, run=run.pk)
