"""Filling verdicts, once and for good: jurors' answers, then what the panel makes of them."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields, replace
from datetime import datetime
from fractions import Fraction
from statistics import median
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from judging.domain.aggregation import JurorVerdict, PanelVerdict, juror_verdict, panel_verdict
from judging.domain.reasons import KILLED, SKIP_SENTENCES, SkipReason
from judging.domain.verdicts import Outcome, Score
from judging.models import CriterionScore, Run, Verdict
from judging.models.runs import VerdictQuerySet
from judging.services.answered_as import note_names
from judging.services.answers import Answer
from judging.services.plans import Plan, plan_without_jurors
from judging.services.spending import count_spent
from judging.services.writing import fill_pending

# What an answer says, in columns of `Verdict`.
_COLUMNS = [column.name for column in fields(Answer) if column.name not in ("question", "scores")]
# What a panel makes its verdict of.
_COUNTED = ("panel_verdict", "outcome", "reason", "detail", "score", "independent", "flags")
_RELEASED: dict[str, Any] = {"claimed_by": "", "lease_until": None}


@transaction.atomic
def save_answers(plan: Plan, answers: Sequence[Answer]) -> int:
    """Fill the jurors' verdicts and every panel verdict that is complete with them.

    What somebody else has filled meanwhile (a lease was lost, the run was cancelled) stays as it is. All who
    fill lock the run first, then the rows' own verdicts, in one order, so that two never decide one row.
    What the run has spent is counted here and nowhere else, with the verdicts that spent it. Returns the
    number of verdicts filled.
    """
    Run.objects.select_for_update(no_key=True).only("pk").get(pk=plan.run_id)
    rows = _lock({answer.question.row.verdict_id for answer in answers})
    kept = _still_wanted(answers, rows)
    now = timezone.now()
    fill_pending({pk: _columns(answer, now) for pk, answer in kept.items()})
    CriterionScore.objects.bulk_create(score for answer in kept.values() for score in _scores(plan, answer))
    count_spent(plan.run_id, kept.values())
    note_names(plan, list(kept.values()))
    return len(kept) + _fill_panels(plan, [pk for pk, kind in rows.items() if kind == Verdict.Kind.PANEL])


@transaction.atomic
def skip_rows(verdicts: QuerySet[Verdict], reason: SkipReason) -> int:
    """Skip the pending ones of the given own verdicts, and the jurors' beneath them; returns the rows.

    A panel whose jurors were being asked again is decided by the answers that it has, as it was before: what
    is judged stays.
    """
    rows = list(
        verdicts.filter(panel_verdict=None, outcome="pending").order_by("pk").values_list("pk", flat=True)
    )
    for start in range(0, len(rows), 1000):
        locked = _lock(rows[start : start + 1000])
        _skip(Verdict.objects.filter(panel_verdict__in=locked), reason)
        _decide_asked_again(locked)
        _skip(Verdict.objects.filter(pk__in=locked), reason)
    return len(rows)


def _skip(verdicts: VerdictQuerySet, reason: SkipReason) -> None:
    verdicts.pending().update(
        outcome=Outcome.SKIPPED,
        reason=reason,
        detail=SKIP_SENTENCES[reason],
        filled_at=timezone.now(),
        **_RELEASED,
    )


def _decide_asked_again(rows: Collection[int]) -> None:
    """Fill the panels among these rows of which a juror was being asked again; none is pending any more."""
    asked_again = Verdict.objects.filter(pk__in=rows, juror_verdicts__skipped_attempts__isnull=False)
    by_run: dict[int, set[int]] = defaultdict(set)
    for run, panel in asked_again.values_list("run_id", "pk"):
        by_run[run].add(panel)
    for run, panels in by_run.items():
        _fill_panels(plan_without_jurors(Run.objects.get(pk=run)), panels)


def _lock(verdict_ids: Collection[int]) -> dict[int, str]:
    """Those of the rows' own verdicts that are still pending, locked, with their kind."""
    own = Verdict.objects.select_for_update().pending().filter(pk__in=verdict_ids).order_by("pk")
    return dict(own.values_list("pk", "kind"))


def _still_wanted(answers: Sequence[Answer], rows: Collection[int]) -> dict[int, Answer]:
    """By verdict, those whose verdict is still pending in a locked row; of two about one, the first."""
    among = {answer.question.verdict_id for answer in answers if answer.question.row.verdict_id in rows}
    pending = set(Verdict.objects.pending().filter(pk__in=among).values_list("pk", flat=True))
    wanted = [answer for answer in answers if answer.question.verdict_id in pending]
    return {answer.question.verdict_id: answer for answer in reversed(wanted)}


def _columns(answer: Answer, now: datetime) -> dict[str, Any]:
    return {column: getattr(answer, column) for column in _COLUMNS} | {"filled_at": now} | _RELEASED


def _scores(plan: Plan, answer: Answer) -> list[CriterionScore]:
    return [
        CriterionScore(
            verdict_id=answer.question.verdict_id,
            criterion_id=plan.criterion_ids[score.name],
            score=score.score,
            reason=score.reason,
        )
        for score in answer.scores
    ]


def _fill_panels(plan: Plan, panel_ids: Collection[int]) -> int:
    """Fill the panels among those given that have no pending juror left."""
    jurors = _complete(panel_ids)
    panels = {pk: panel_verdict(_counted_all(plan, beneath), plan.on_split) for pk, beneath in jurors.items()}
    now = timezone.now()
    fill_pending({pk: _panel_columns(panel, jurors[pk], now) for pk, panel in panels.items()})
    CriterionScore.objects.bulk_create(
        score for pk, panel in panels.items() for score in _panel_scores(plan, pk, panel)
    )
    return len(panels)


def _complete(panel_ids: Collection[int]) -> dict[int, list[Verdict]]:
    """The jurors' verdicts of each panel whose jurors are all done, in their order."""
    beneath = Verdict.objects.filter(panel_verdict__in=panel_ids)
    unfinished = set(beneath.pending().values_list("panel_verdict", flat=True))
    done = beneath.exclude(panel_verdict__in=unfinished).only(*_COUNTED).order_by("pk")
    jurors: dict[int, list[Verdict]] = defaultdict(list)
    for verdict in done.prefetch_related("scores"):
        jurors[verdict.panel_verdict_id or 0].append(verdict)
    return jurors


def _panel_columns(panel: PanelVerdict, jurors: Sequence[Verdict], now: datetime) -> dict[str, Any]:
    if all(juror.outcome == Outcome.NOT_ASKED for juror in jurors):
        return _spared_columns(jurors, now)
    reason = _panel_reason(panel, jurors)
    return {
        "outcome": panel.outcome,
        "reason": reason or "",
        "detail": SKIP_SENTENCES[reason] if reason else "",
        "score": _panel_score(panel, jurors),
        "confidence": None if panel.confidence is None else float(panel.confidence),
        "feedback": "\n".join(str(shortfall) for shortfall in panel.shortfalls),
        "independent": _all_independent(jurors),
        "flags": sorted({flag for juror in jurors for flag in juror.flags}),
        "filled_at": now,
        **_RELEASED,
    }


def _spared_columns(jurors: Sequence[Verdict], now: datetime) -> dict[str, Any]:
    """Layer 1 had killed the row, so its panel did not fail to agree: nobody was asked."""
    return {
        "outcome": Outcome.NOT_ASKED,
        "reason": KILLED,
        "detail": jurors[0].detail,
        "score": None,
        "confidence": None,
        "feedback": "",
        "independent": _all_independent(jurors),
        "flags": sorted({flag for juror in jurors for flag in juror.flags}),
        "filled_at": now,
        **_RELEASED,
    }


def _panel_scores(plan: Plan, panel_id: int, panel: PanelVerdict) -> list[CriterionScore]:
    if panel.outcome is Outcome.SKIPPED:
        return []
    return [
        CriterionScore(verdict_id=panel_id, criterion_id=plan.criterion_ids[name], score=float(score))
        for name, score in panel.scores.items()
    ]


def _counted_all(plan: Plan, jurors: Sequence[Verdict]) -> list[JurorVerdict | None]:
    names = {criterion_id: name for name, criterion_id in plan.criterion_ids.items()}
    return [_counted(plan, names, juror) for juror in jurors]


def _counted(plan: Plan, names: Mapping[int, str], juror: Verdict) -> JurorVerdict | None:
    """A stored juror's verdict as it was when it was computed, or recorded; None where it gave none."""
    if juror.outcome not in (Outcome.PASS, Outcome.FAIL):
        return None
    outcome = Outcome(juror.outcome)
    scores = [Score(names[row.criterion_id], int(row.score), row.reason) for row in juror.scores.all()]
    if len(scores) < len(plan.criteria.criteria):
        return JurorVerdict(outcome, None, tuple(scores), ())  # only what was recorded is as incomplete
    return replace(juror_verdict(plan.criteria, scores), outcome=outcome)


def _panel_reason(panel: PanelVerdict, jurors: Sequence[Verdict]) -> SkipReason | None:
    """Nobody was asked about a truncated candidate, so its panel did not fail to agree."""
    if all(juror.reason == SkipReason.INPUT_TRUNCATED for juror in jurors):
        return SkipReason.INPUT_TRUNCATED
    return panel.reason


def _panel_score(panel: PanelVerdict, jurors: Sequence[Verdict]) -> float | None:
    """Median of the scored jurors' overall scores; a skipped panel has none."""
    scores = [Fraction(juror.score) for juror in jurors if juror.score is not None]
    return float(median(scores)) if scores and panel.outcome is not Outcome.SKIPPED else None


def _all_independent(jurors: Sequence[Verdict]) -> bool | None:
    """False when one juror is not; None when of one it is not known."""
    known = {juror.independent for juror in jurors}
    return False if False in known else None if None in known else True
