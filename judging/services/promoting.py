"""Which gates another live version closes or opens, and making it live with that in sight."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from django.db import transaction
from django.utils import timezone

from judging.models import Certificate, Judge, JudgeVersion
from judging.services.certificates import lock
from judging.services.judges import promote_judge
from judging.services.standing import Standing
from labeling.access import AnyUser
from labeling.models import AuditEvent, CriteriaSet, CriteriaVersion
from labeling.services.promotions import (
    GateChange,
    Promotion,
    check_confirmed,
    check_led,
    check_unchanged,
    told,
)


class _Pair(NamedTuple):
    """The versions that a gate answers by; without either of them it answers nothing."""

    by: JudgeVersion | None
    of: CriteriaVersion | None

    @property
    def ids(self) -> tuple[int | None, int | None]:
        return self.by.pk if self.by else None, self.of.pk if self.of else None


class _Gate(NamedTuple):
    """One judge on one criteria set, with what answers before and after. `key`: as in `GateChange`."""

    key: int
    judge: Judge
    criteria_set: CriteriaSet
    before: _Pair
    after: _Pair


@transaction.atomic
def promote_version(
    *,
    version: JudgeVersion,
    actor: AnyUser | None,
    confirmed: Collection[int] | None = (),
    seen: int | None = None,
) -> Judge:
    """Make `version` its judge's live one; an earlier one may be made live again.

    `confirmed`: ids of criteria sets whose open gate may close by it, None for any. `seen`: number of the
    live version that the caller saw. A gate of a set that `actor` does not lead is closed by no confirmation.
    Raises `ClosesElsewhere`, `ClosesGates` or `PromotedMeanwhile`; then nothing is changed.
    """
    Judge.objects.select_for_update(no_key=True).get(pk=version.judge_id)
    judge = Judge.objects.select_related("live_version").get(pk=version.judge_id)
    check_unchanged(judge.live_version.number if judge.live_version else None, seen)
    for judge_version_id in sorted({version.pk, judge.live_version_id or version.pk}):
        lock(judge_version_id)  # so that no certificate changes between looking and promoting
    changes = changes_by_judge(version)
    check_led(changes, actor)
    check_confirmed(changes, confirmed)
    return promote_judge(judge=judge, version=version, actor=actor)


def changes_by_judge(version: JudgeVersion) -> list[GateChange]:
    """What happens to the gate of each criteria set on which this or the live version was measured."""
    judge = Judge.objects.select_related("live_version").get(pk=version.judge_id)
    found = Certificate.objects.current().filter(judge_version__in=[version.pk, judge.live_version_id])
    measured = found.of_criteria_version(None).order_by().values("criteria_version__criteria_set")
    sets = CriteriaSet.objects.filter(pk__in=measured).select_related("live_version").order_by("slug")
    return _changes(
        [
            _Gate(
                each.pk,
                judge,
                each,
                _Pair(judge.live_version, each.live_version),
                _Pair(version, each.live_version),
            )
            for each in sets
        ]
    )


def changes_by_criteria(version: CriteriaVersion, held: bool) -> list[GateChange]:
    """A foreteller of `labeling.services.promotions`: what happens to the gate of each measured judge."""
    criteria_set = CriteriaSet.objects.select_related("live_version").get(pk=version.criteria_set_id)
    found = Certificate.objects.current().filter(
        criteria_version__in=[version.pk, criteria_set.live_version_id]
    )
    measured = found.of_judge_version(None).order_by().values_list("judge_version", flat=True)
    for judge_version_id in sorted(set(measured)) if held else ():
        lock(judge_version_id)
    judges = Judge.objects.filter(live_version__in=measured).select_related("live_version").order_by("slug")
    return _changes(
        [
            _Gate(
                each.pk,
                each,
                criteria_set,
                _Pair(each.live_version, criteria_set.live_version),
                _Pair(each.live_version, version),
            )
            for each in judges
        ]
    )


def _changes(gates: Sequence[_Gate]) -> list[GateChange]:
    certified = _certified([pair for gate in gates for pair in (gate.before, gate.after)])
    refused = _refused([gate.after for gate in gates])
    return [
        GateChange(
            key=gate.key,
            judge=gate.judge.slug,
            criteria=gate.criteria_set.slug,
            criteria_set_id=gate.criteria_set.pk,
            before=_name(gate, gate.before),
            after=_name(gate, gate.after),
            certified=(gate.before.ids in certified, gate.after.ids in certified),
            why_not=refused.get(gate.after.ids, ""),
        )
        for gate in gates
    ]


def _certified(pairs: Sequence[_Pair]) -> set[tuple[int | None, int | None]]:
    """The ids of those that certify now."""
    current = Certificate.objects.current().certified(timezone.now())
    those = current.filter(
        judge_version__in=[pair.by for pair in pairs if pair.by],
        criteria_version__in=[pair.of for pair in pairs if pair.of],
    )
    return set(those.order_by().values_list("judge_version", "criteria_version"))


def _refused(pairs: Sequence[_Pair]) -> dict[tuple[int | None, int | None], str]:
    """By ids of those that were measured and do not certify now: why, in sentences."""
    now = timezone.now()
    by_ids = {pair.ids: pair for pair in pairs}
    found = Certificate.objects.current().filter(
        judge_version__in=[pair.by for pair in pairs if pair.by],
        criteria_version__in=[pair.of for pair in pairs if pair.of],
    )
    refused = {}
    for each in found:
        pair = by_ids.get((each.judge_version_id, each.criteria_version_id))
        if pair and pair.by and pair.of:
            reasons = Standing(pair.by, pair.of, each, now).reasons
            refused[pair.ids] = " ".join(reason.message for reason in reasons)
    return refused


def _name(gate: _Gate, pair: _Pair) -> str:
    if pair.by is None or pair.of is None:
        return "no live version"
    return f"{gate.judge.slug}@{pair.by.number} on {gate.criteria_set.slug}@{pair.of.number}"


def promotions_of(judge: Judge) -> list[Promotion]:
    """The newest promotions of a judge's versions, the newest first."""
    events = AuditEvent.objects.filter(action="judge_promoted", subject__startswith=f"{judge.slug}@")
    return told(events)
