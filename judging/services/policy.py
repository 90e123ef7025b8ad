"""What a change of a set's policy does to the certificates in force: told beforehand, and done at once."""

from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from django.utils import timezone

from judging.domain.certification import Decision, Policy
from judging.domain.policies import binding
from judging.models import Calibration, Certificate, Run
from judging.services.certificates import append, lock, policy_of, policy_then
from judging.services.deciding import decided_again
from judging.services.recounting import Moved, People, count_again, people_now
from labeling.access import AnyUser
from labeling.models import CriteriaSet, CriteriaVersion
from labeling.services.policies import Consequence

_MOST_TOLD = 20  # judges named one by one

type Measure = Callable[[CriteriaVersion], People]  # people with people, once for each criteria version


@dataclass(frozen=True, slots=True)
class Effect:
    """A certificate in force, and how it would be decided by what became stricter.

    `people`: how people agree by now, where that comes to decide and is another number than the run found.
    """

    before: Certificate
    policy: Policy
    after: Decision
    people: People | None


def policy_changed(criteria_set: CriteriaSet, actor: AnyUser | None) -> None:
    """Listener of `labeling.services.policies`: decide certificates in force again, where it is stricter.

    A state may fall at once and never rises: what became laxer counts from the next run on.
    """
    moment, measure = timezone.now(), cache(people_now)
    for judge_version_id in _judged(criteria_set):
        lock(judge_version_id)  # a run that is being certified by the old policy ends before this goes on
        for effect in _effects(criteria_set, moment, measure, judge_version_id):
            append(
                _counted(effect, moment),
                effect.policy,
                effect.after,
                cause=Certificate.Cause.POLICY,
                calibrated_at=effect.before.calibrated_at,
                moment=moment,
                actor=actor,
            )


def foretold(criteria_set: CriteriaSet) -> list[Consequence]:
    """What the set's policy, as it is in memory, would do to the judges certified now."""
    moment = timezone.now()
    found = _effects(criteria_set, moment, cache(people_now))
    effects = [each for each in found if each.before.is_certified(moment)]
    lost = [each for each in effects if not each.after.certified]
    kept = [each for each in effects if each.after.certified]
    return [*_lost(lost), *_sooner(kept)]


def _judged(criteria_set: CriteriaSet) -> list[int]:
    """Every judge version that was ever calibrated here or is being calibrated, in one order for all."""
    runs = Run.objects.filter(criteria_version__criteria_set=criteria_set, kind=Run.Kind.CALIBRATION)
    return sorted(set(runs.order_by().values_list("judge_version", flat=True)))


def _effects(
    criteria_set: CriteriaSet, moment: datetime, measure: Measure, judge_version_id: int | None = None
) -> Iterator[Effect]:
    """The certificates in force, not expired, of which something is demanded that was not before."""
    current = Certificate.objects.current().filter(criteria_version__criteria_set=criteria_set)
    if judge_version_id is not None:
        current = current.filter(judge_version=judge_version_id)
    for before in current.filter(expires_at__gt=moment).with_names().order_by("pk"):
        then = policy_then(before)
        policy = binding(then, policy_of(criteria_set))
        if policy != then:
            comes_to_decide = policy.demand_human_ceiling and not then.demand_human_ceiling
            people = _other_people(before, measure) if comes_to_decide else None
            evidence = _with_people(before.calibration, people or {})
            after = decided_again(before, policy, evidence, anew=(), moment=moment)
            yield Effect(before, policy, after, people)


def _other_people(before: Certificate, measure: Measure) -> People | None:
    """Recounts left the number alone as long as it decided nothing; None where it is the same today."""
    people = measure(before.criteria_version)
    same = all(getattr(before.calibration, name) == value for name, value in people.items())
    return None if same else people


def _with_people(calibration: Calibration, people: People) -> Calibration:
    """The same counts, not saved, beside what people say of each other."""
    told = copy(calibration)
    for name, value in people.items():
        setattr(told, name, value)
    return told


def _counted(effect: Effect, moment: datetime) -> Calibration:
    """The evidence for the next event: a calibration of its own where people's agreement is another."""
    if effect.people is None:
        return effect.before.calibration
    return count_again(effect.before.calibration.run, Moved(), moment, people=effect.people)[0]


def _lost(effects: list[Effect]) -> list[Consequence]:
    if not effects:
        return []
    many = len(effects) > 1
    words = f"{len(effects)} judges would lose their" if many else "1 judge would lose its"
    told = [f"{_name(each)}: {' '.join(reason.message for reason in each.after.reasons)}" for each in effects]
    return [Consequence(f"{words} certificate{'s' * many} at once.", _some(told), closes=True)]


def _sooner(effects: list[Effect]) -> list[Consequence]:
    told = [
        f"{_name(each)}: on {each.after.expires_at:%Y-%m-%d} instead of {each.before.expires_at:%Y-%m-%d}."
        for each in effects
        if each.after.expires_at is not None and each.after.expires_at < each.before.expires_at
    ]
    if not told:
        return []
    words = "1 certificate" if len(told) == 1 else f"{len(told)} certificates"
    return [Consequence(f"{words} would expire sooner.", _some(told))]


def _name(effect: Effect) -> str:
    certificate = effect.before
    by, of = certificate.judge_version, certificate.criteria_version
    live = by.pk == by.judge.live_version_id and of.pk == of.criteria_set.live_version_id
    return f"{by} on {of}, {'which is live' if live else 'which is not live'}"


def _some(told: list[str]) -> tuple[str, ...]:
    rest = len(told) - _MOST_TOLD
    return (*told[:_MOST_TOLD], *([f"And {rest} more."] if rest > 0 else []))
