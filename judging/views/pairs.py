"""Judges on criteria sets, loaded a page at a time: the same number of queries for any number of them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.db.models import F

from judging.domain.drift_words import missing
from judging.domain.figures import shown_kappa
from judging.domain.measured import defined
from judging.domain.panel_worth import Member, panel_worth
from judging.models import Calibration, Certificate, Judge, JudgeVersion, Run
from judging.services.costs import counted_spent
from judging.services.sightings import sightings
from judging.services.standing import Standing, told_what_changed
from judging.views.answers import Answer, answer_of, is_draft
from judging.views.costs import decision_cost
from judging.views.interval import IntervalDrawing, measured_drawing
from judging.views.shadows import Shadow, shadow_of
from labeling.models import CriteriaSet, CriteriaVersion

type Key = tuple[int, int]  # the criteria set's id and the judge's

UNFINISHED = (Run.State.RUNNING, Run.State.PAUSED)


@dataclass(frozen=True)
class JurorLine:
    """A juror on the rows of its panel."""

    calibration: Calibration
    shown_kappa: str
    drawing: IntervalDrawing | None


@dataclass(frozen=True)
class Pair:
    """A judge on a criteria set: the live versions' answer, the jurors under it, the drafts beside it.

    `cost`: of one decision, in words, by the replies of the run that it was measured by; "" without one.
    """

    answer: Answer
    jurors: list[JurorLine]
    cost: str
    worth: str  # what the panel is worth beside its jurors; "" for a judge without
    shadows: list[Shadow]
    trend: str  # kappa beside that of the run before, in words; "" where there was none
    unwatched: str  # what nobody looks at, in words; "" where nothing is missing or it may not gate

    @property
    def criteria_version(self) -> CriteriaVersion:
        return self.answer.standing.criteria_version


def load_pairs(keys: Sequence[Key], now: datetime) -> list[Pair]:
    """The pairs in the order of `keys`; one is left out where judge or criteria set has no version at all."""
    return list(_Loader(keys, now).pairs())


def _cost(judge: JudgeVersion, calibration: Calibration | None, jurors: int) -> str:
    """What a decision costs; nothing is said of judges whose verdicts came from a file."""
    if calibration is None or judge.has_recorded:
        return ""
    return decision_cost(counted_spent(calibration.run), jurors)


class _Loader:
    """What a page of pairs needs, each kind in one query."""

    def __init__(self, keys: Sequence[Key], now: datetime) -> None:
        self.keys, self.now = keys, now
        set_ids, judge_ids = {key[0] for key in keys}, {key[1] for key in keys}
        self.sets = CriteriaSet.objects.select_related("live_version").in_bulk(set_ids)
        self.judges = Judge.objects.select_related("live_version").in_bulk(judge_ids)
        self.newest_criteria = self._newest_criteria()
        self.newest_judges = self._newest_judges()
        self.found = self._certificates()
        self.at_work = self._at_work()
        self.before = self._before()

    def pairs(self) -> Iterator[Pair]:
        found = {key: head for key in self.keys if (head := self._head(key))}
        heads = dict(zip(found, told_what_changed(list(found.values())), strict=True))
        jurors = jurors_of([head.certificate for head in heads.values() if head.certificate])
        unwatched = _unwatched(heads, self.now)
        for key, head in heads.items():
            calibration = head.certificate.calibration if head.certificate else None
            beside = jurors.get(calibration.run_id, []) if calibration else []
            yield Pair(
                answer_of(head, self.at_work.get((head.criteria_version.pk, head.judge_version.pk))),
                beside,
                _cost(head.judge_version, calibration, len(beside) or 1),
                worth_of(head.certificate, beside) if head.certificate else "",
                [shadow_of(each, head) for each in self._shadows(key, head)],
                _trend(head.certificate, self.before),
                unwatched.get(key, ""),
            )

    def _head(self, key: Key) -> Standing | None:
        """The standing of the live versions; where nothing is live, the newest that was measured."""
        criteria_set, judge = self.sets[key[0]], self.judges[key[1]]
        if criteria_set.live_version and judge.live_version:
            return self._standing(judge.live_version, criteria_set.live_version)
        newest = next(iter(self.found[key].values()), None)
        return self._standing(newest.judge_version, newest.criteria_version) if newest else None

    def _standing(self, by: JudgeVersion, of: CriteriaVersion) -> Standing:
        by.judge, of.criteria_set = self.judges[by.judge_id], self.sets[of.criteria_set_id]
        certificate = self.found[of.criteria_set_id, by.judge_id].get((of.pk, by.pk))
        if certificate:
            certificate.judge_version, certificate.criteria_version = by, of
        return Standing(by, of, certificate, self.now)

    def _shadows(self, key: Key, head: Standing) -> list[Standing]:
        """Drafts that were measured, newest first, then the newest that were not."""
        measured = [
            standing
            for each in self.found[key].values()
            if is_draft(standing := self._standing(each.judge_version, each.criteria_version))
        ]
        return measured + [
            standing
            for standing in self._drafts(key, head)
            if not standing.certificate and is_draft(standing)
        ]

    def _drafts(self, key: Key, head: Standing) -> Iterator[Standing]:
        if newer := self.newest_judges.get(key[1]):
            yield self._standing(newer, head.criteria_version)
        if criteria := self.newest_criteria.get(key[0]):
            yield self._standing(head.judge_version, criteria)

    def _newest_judges(self) -> dict[int, JudgeVersion]:
        newer = JudgeVersion.objects.filter(
            judge__in=self.judges, number__gt=F("judge__live_version__number")
        )
        return {each.judge_id: each for each in newer.order_by("number")}

    def _newest_criteria(self) -> dict[int, CriteriaVersion]:
        newer = CriteriaVersion.objects.filter(
            criteria_set__in=self.sets, number__gt=F("criteria_set__live_version__number")
        )
        return {each.criteria_set_id: each for each in newer.order_by("number")}

    def _certificates(self) -> Mapping[Key, dict[tuple[int, int], Certificate]]:
        """Those in force and not outdated, by criteria version and judge version, newest versions first."""
        current = Certificate.objects.current().not_outdated().with_names().select_related("calibration__run")
        of_these = current.filter(
            judge_version__judge__in=self.judges, criteria_version__criteria_set__in=self.sets
        )
        found: dict[Key, dict[tuple[int, int], Certificate]] = defaultdict(dict)
        for each in of_these.order_by("-criteria_version__number", "-judge_version__number"):
            key = (each.criteria_version.criteria_set_id, each.judge_version.judge_id)
            found[key][each.criteria_version_id, each.judge_version_id] = each
        return found

    def _before(self) -> dict[int, Certificate]:
        """By the id of the certificate in force, the one that the run before its own had earned."""
        pairs = {(each.judge_version_id, each.criteria_version_id): each for each in self._in_force()}
        earned = Certificate.objects.filter(
            cause=Certificate.Cause.RUN,
            judge_version__in={pair[0] for pair in pairs},
            criteria_version__in={pair[1] for pair in pairs},
        )
        found: dict[int, Certificate] = {}
        for each in earned.select_related("calibration").order_by("pk"):
            now = pairs.get((each.judge_version_id, each.criteria_version_id))
            if now and each.calibration.run_id < now.calibration.run_id:
                found[now.pk] = each
        return found

    def _in_force(self) -> Iterator[Certificate]:
        for of_key in self.found.values():
            yield from of_key.values()

    def _at_work(self) -> dict[tuple[int, int], Run]:
        runs = Run.objects.filter(
            kind=Run.Kind.CALIBRATION,
            state__in=UNFINISHED,
            judge_version__judge__in=self.judges,
            criteria_version__criteria_set__in=self.sets,
        )
        return {(run.criteria_version_id, run.judge_version_id): run for run in runs.order_by("pk")}


def _trend(certificate: Certificate | None, before: Mapping[int, Certificate]) -> str:
    """Whether kappa went up or down since the run before; the intervals tell how much of it is luck."""
    earlier = before.get(certificate.pk) if certificate else None
    if certificate is None or earlier is None or certificate.kappa is None or earlier.kappa is None:
        return ""
    change = round(certificate.kappa - earlier.kappa, 3)
    if not change:
        return f"as in the run before ({earlier.shown_kappa})"
    return f"{'up' if change > 0 else 'down'} from {earlier.shown_kappa} in the run before"


def _is_watched(head: Standing) -> bool:
    """Whether it may gate and can drift: what was brought in from a file stays as it is."""
    return head.certified and not head.judge_version.has_recorded


def _unwatched(heads: Mapping[Key, Standing], now: datetime) -> dict[Key, str]:
    """Of each judge that may gate, what nobody looks at, in words."""
    gating = {key: head for key, head in heads.items() if _is_watched(head)}
    seen = sightings([head.certificate for head in gating.values() if head.certificate])
    return {
        key: " ".join(
            each.words for each in missing(seen[head.judge_version.pk, head.criteria_version.pk], now)
        )
        for key, head in gating.items()
    }


def jurors_of(certificates: Iterable[Certificate]) -> dict[int, list[JurorLine]]:
    """The jurors of each panel's run, by the run's id, in the order of their seats."""
    bars = {each.calibration.run_id: (each.judge_version_id, each.bar) for each in certificates}
    counted = Calibration.objects.filter(run__in=bars, is_current=True).select_related("judge_version__judge")
    found: dict[int, list[JurorLine]] = defaultdict(list)
    for each in counted.order_by("pk"):
        own, bar = bars[each.run_id]
        if each.judge_version_id != own:
            found[each.run_id].append(line_of(each, bar))
    return found


def worth_of(certificate: Certificate, jurors: Sequence[JurorLine]) -> str:
    """What a panel is worth beside its jurors, in words."""
    members = [Member(str(each.calibration.judge_version), each.calibration.measured) for each in jurors]
    panel = Member(str(certificate.judge_version), certificate.calibration.measured)
    return panel_worth(panel, members) if members else ""


def line_of(calibration: Calibration, bar: Decimal) -> JurorLine:
    """The judge of a calibration as it is drawn against `bar`."""
    measured = calibration.measured
    shown = shown_kappa(defined(measured.kappa), bar)
    return JurorLine(calibration, shown, measured_drawing(measured, bar))
