"""Runs: started, paused, resumed, cancelled, finished."""

import logging
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Literal

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from judging.domain.reasons import PauseReason, SkipReason
from judging.domain.reply import storable
from judging.models import JudgeVersion, Run, Schedule, Verdict
from judging.services.audits import draw_for_audit
from judging.services.calibration import layer1_of
from judging.services.certification import certify_run
from judging.services.examples import without_examples
from judging.services.filling import skip_rows
from judging.services.writing import insert_verdicts
from labeling.access import AnyUser
from labeling.domain.criteria import InvalidCriteria, check_criteria
from labeling.models import AuditEvent, Candidate, CriteriaSet, CriteriaVersion
from labeling.services.audit import record
from labeling.services.criteria import spec_of

log = logging.getLogger(__name__)

type Scope = Literal["certify", "tune", "all", "unlabelled"]

MOST_REPEATS = 10
REPEATED_ROWS = 50  # of a run that repeats its questions, where nobody says how many

CANNOT_BE_ASKED_AGAIN = (
    "Verdicts of this judge were brought in from a file, and a recording says the same every time: it can "
    "neither be replayed nor asked repeatedly. Choose a judge whose models can be asked."
)


class CannotRun(ValueError):
    """This run cannot be; the sentence says why and what to do."""


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


def sample(candidates: QuerySet[Candidate], most_rows: int | None) -> QuerySet[Candidate]:
    """At most so many of them: those whose content hash comes first, which is a draw without dice."""
    if most_rows is None:
        return candidates
    drawn = candidates.order_by("content_hash").values("pk")[:most_rows]
    return Candidate.objects.filter(pk__in=drawn)


def bound(kind: str, most_rows: int | None) -> int | None:
    """How many rows a run of this kind is over at most; None for all. Raises `CannotRun`."""
    if most_rows is not None and most_rows < 1:
        raise CannotRun("At least one row must be asked about. Leave the number of rows out for all.")
    if kind == Run.Kind.CALIBRATION and most_rows is not None:
        raise CannotRun("A calibration is over all rows that certify; it cannot be over some of them.")
    return REPEATED_ROWS if kind == Run.Kind.CONSISTENCY and most_rows is None else most_rows


def planned(
    judge_version: JudgeVersion,
    criteria_version: CriteriaVersion,
    kind: str,
    asks_all: bool | None,
    repeats: int,
) -> Run:
    """The run as it would be, not saved; what measures asks every juror. Raises `CannotRun`."""
    scores = kind == Run.Kind.SCORING
    if asks_all is False and not scores:
        raise CannotRun(
            f"A {Run.Kind(kind).label} measures its judges, so it asks every juror about every row."
        )
    if judge_version.has_recorded and kind in (Run.Kind.REPLAY, Run.Kind.CONSISTENCY):
        raise CannotRun(CANNOT_BE_ASKED_AGAIN)
    most = MOST_REPEATS if kind == Run.Kind.CONSISTENCY else 1
    if not min(2, most) <= repeats <= most:
        raise CannotRun(
            f"To measure how often a judge contradicts itself, ask each question 2 to {MOST_REPEATS} times."
            if most > 1
            else "Only a run that measures how often a judge contradicts itself asks a question repeatedly."
        )
    return Run(
        judge_version=judge_version,
        criteria_version=criteria_version,
        kind=kind,
        on_split=_on_split(judge_version, criteria_version),
        asks_all=not scores if asks_all is None else asks_all,
        repeats=repeats,
    )


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
    asks_all: bool | None = None,
    repeats: int = 1,
    most_rows: int | None = None,
    schedule: Schedule | None = None,
    candidates: QuerySet[Candidate] | None = None,
    actor: AnyUser | None = None,
) -> Run:
    """Write a run with one pending verdict per row and, for a panel, one per row and juror.

    `asks_all`: ask every juror about every row afresh; by itself only scoring runs do not. `repeats`: answers
    to each question, 2 to 10 for a `consistency` run. `most_rows`: draw so many; of repeats 50 by itself.
    `schedule`: what started it by itself. `candidates`: the rows, where they are chosen already.
    The caller tells the workers, on commit, with `judging.tasks.start_work`. Raises `CannotRun`.
    """
    jurors = checked_jurors(judge_version, criteria_version)
    run = planned(judge_version, criteria_version, kind, asks_all, repeats)
    run.max_calls, run.max_cost = _checked_budget(max_calls), _checked_budget(max_cost)
    run.schedule = schedule
    run.created_by = actor if isinstance(actor, User) else None
    most = bound(kind, most_rows)
    run.save()
    if candidates is None:
        candidates = candidates_of(criteria_version, scope, include_unlabelled)
    candidates = sample(without_examples(candidates, judge_version, criteria_version), most)
    if not _write_pending(run, jurors, candidates):
        raise CannotRun(_no_rows(scope, include_unlabelled))
    _record(run, actor, "run_started")
    return run


def checked_jurors(judge_version: JudgeVersion, criteria_version: CriteriaVersion) -> list[JudgeVersion]:
    """Whom a run of this judge asks. Raises `CannotRun` where it cannot judge by these criteria."""
    try:
        check_criteria(spec_of(criteria_version))
    except InvalidCriteria as invalid:
        raise CannotRun(f"{criteria_version} cannot be judged by: {invalid}") from None
    jurors = judge_version.jurors()
    if not jurors:
        raise CannotRun(f"The panel {judge_version} has no jurors. Add some, as a new version.")
    for juror in jurors:
        if juror.kind == JudgeVersion.Kind.PANEL:
            raise CannotRun(f"{juror} in the panel {judge_version} is itself a panel; jurors must be models.")
        if juror.recording is not None:
            _check_recording(juror, juror.recording.criteria_set, criteria_version.criteria_set)
    return jurors


def _check_recording(juror: JudgeVersion, of_set: CriteriaSet, wanted: CriteriaSet) -> None:
    if of_set != wanted:
        raise CannotRun(
            f"{juror} knows rows of the criteria set “{of_set}” only: its verdicts were brought in from a "
            f"file. Bring its verdicts on “{wanted}” in as a judge of its own."
        )


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
    """Returns how many questions of the run's own judge there are."""
    own = {"candidate_id": F("pk"), "candidate_hash": F("content_hash")}
    alone = run.judge_version.kind != JudgeVersion.Kind.PANEL
    pending = _pending(run, run.judge_version, "juror" if alone else "panel")
    written = sum(insert_verdicts(candidates, **pending, **own, repeat=each) for each in range(run.repeats))
    if alone:
        return written
    panels = Verdict.objects.filter(run=run, kind="panel")
    beneath = {name: F(name) for name in ("candidate_id", "candidate_hash", "repeat")}
    for juror in jurors:
        insert_verdicts(panels, **_pending(run, juror, "juror"), **beneath, panel_verdict_id=F("pk"))
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
    """Pause a running run; False when it was not running any more. `detail`: of it what can be stored."""
    detail = storable(detail)
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
    paused_for = locked.pause_reason
    locked.state, locked.pause_reason, locked.pause_detail = Run.State.RUNNING, "", ""
    locked.save()
    _record(locked, actor, "run_resumed", paused_for=paused_for)
    return locked


def cancel_run(*, run: Run, actor: AnyUser | None = None) -> Run:
    """End a run early: what is not judged yet is skipped as cancelled, what is judged stays.

    In a run that is paused because its budget is spent, the rest is skipped as that.

    A judge with nothing better to show is uncertified from now on because its run is incomplete.
    """
    known = layer1_of(run)
    with transaction.atomic():
        return _cancel(run, known, actor)


def _cancel(run: Run, known: Mapping[int, str], actor: AnyUser | None) -> Run:
    locked = Run.objects.select_for_update().get(pk=run.pk)
    if locked.state not in (Run.State.RUNNING, Run.State.PAUSED):
        raise CannotRun(f"This run is {locked.state} already; there is nothing to cancel.")
    is_spent = locked.pause_reason == PauseReason.BUDGET_SPENT
    locked.state, locked.finished_at = Run.State.CANCELLED, timezone.now()
    locked.pause_reason = locked.pause_detail = ""
    locked.save()
    skip_rows(
        Verdict.objects.filter(run=locked), SkipReason.BUDGET_SPENT if is_spent else SkipReason.CANCELLED
    )
    certify_run(run=locked, known=known)
    draw_for_audit(run=locked)  # what it did judge counts among live verdicts
    _record(locked, actor, "run_cancelled")
    return locked


def resumed_after(run_id: int, reason: PauseReason) -> bool:
    """Whether somebody let the run go on all the same, after it was paused for this reason."""
    resumed = AuditEvent.objects.filter(action="run_resumed", details__run=run_id)
    return resumed.filter(details__paused_for=reason).exists()


def _record(run: Run, actor: AnyUser | None, action: str, **details: str) -> None:
    criteria_set = run.criteria_version.criteria_set
    record(actor=actor, action=action, subject=str(run), criteria_set=criteria_set, run=run.pk, **details)
