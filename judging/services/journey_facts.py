"""Where criteria sets stand on their way to a certificate: what is there, read for many sets at once."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, F, Max

from judging.models import Certificate, JudgeVersion, Run
from judging.services.connections import Environments, Missing
from judging.services.judges import with_jurors
from judging.services.standing import Standing
from labeling.models import CriteriaSet, Criterion
from labeling.services.counts import Counts

_ORDER = (JudgeVersion.Kind.PANEL, JudgeVersion.Kind.MODEL, JudgeVersion.Kind.RECORDED)


@dataclass(frozen=True, slots=True)
class Bench:
    """The judges there are, at their live versions, panels first and recorded ones last. `missing`: by id."""

    versions: list[JudgeVersion]
    missing: Mapping[int, list[Missing]]
    workers: int

    @property
    def models(self) -> int:
        return self._of(JudgeVersion.Kind.MODEL)

    @property
    def panels(self) -> int:
        return self._of(JudgeVersion.Kind.PANEL)

    @property
    def recorded(self) -> int:
        return self._of(JudgeVersion.Kind.RECORDED)

    def _of(self, kind: str) -> int:
        return sum(version.kind == kind for version in self.versions)

    @property
    def ready(self) -> list[JudgeVersion]:
        """Those that lack no variable."""
        return [version for version in self.versions if not self.missing[version.pk]]

    def first(self, criteria_set: int) -> JudgeVersion | None:
        """The judge to begin with on a criteria set: one that can be asked if there is one, a panel first.

        A recorded judge only where there is no other, and only on the set whose rows it speaks of.
        """
        told = [each for each in self.versions if _speaks_of(each, criteria_set)]
        asked = [each for each in self.versions if not each.has_recorded]
        return next(iter([*(each for each in self.ready if each in asked), *asked, *told]), None)


def _speaks_of(version: JudgeVersion, criteria_set: int) -> bool:
    return version.recording is not None and version.recording.criteria_set_id == criteria_set


@dataclass(frozen=True, slots=True)
class Facts:
    """What is there of one criteria set, under its live version. `run`: the newest calibration on it."""

    criteria_set: CriteriaSet
    criteria: int
    counts: Counts
    bench: Bench
    run: Run | None
    calibrated: bool
    standings: list[Standing]

    @property
    def judge_run(self) -> int | None:
        """The run that the first standing's certificate rests on; None where no judge is certified."""
        first = next(iter(self.standings), None)
        if first is None or first.certificate is None or not first.certified:
            return None
        return first.certificate.calibration.run_id

    @property
    def judge(self) -> JudgeVersion | None:
        """The judge to speak of here: one that is certified, else that of the newest run, else the first."""
        certified = [standing.judge_version for standing in self.standings if standing.certified]
        ran = [self.run.judge_version] if self.run else []
        for chosen in (*certified, *ran):
            if live := next((each for each in self.bench.versions if each.judge_id == chosen.judge_id), None):
                return live
        return self.bench.first(self.criteria_set.pk)


def read_bench(now: datetime) -> Bench:
    """The judges and what their workers lack."""
    live = with_jurors(JudgeVersion.objects.filter(pk=F("judge__live_version")))
    versions = sorted(live, key=lambda each: (_ORDER.index(each.kind), each.judge.slug))
    environments = Environments(now)
    missing = {version.pk: environments.missing(version) for version in versions}
    return Bench(versions, missing, environments.workers)


def facts_of(sets: Sequence[CriteriaSet], counts: Mapping[int, Counts], now: datetime) -> list[Facts]:
    """The facts of each set, in a number of queries that does not grow with theirs."""
    live = [each.live_version_id for each in sets if each.live_version_id]
    bench, runs, standings = read_bench(now), _newest_runs(live), _standings(live, now)
    criteria = dict(
        Criterion.objects.filter(version__in=live)
        .order_by()
        .values("version")
        .annotate(n=Count("pk"))
        .values_list("version", "n")
    )
    finished = _finished(live)
    return [
        Facts(
            criteria_set=each,
            criteria=criteria.get(each.live_version_id or 0, 0),
            counts=counts[each.pk],
            bench=bench,
            run=runs.get(each.live_version_id or 0),
            calibrated=each.live_version_id in finished,
            standings=standings[each.live_version_id or 0],
        )
        for each in sets
    ]


def _newest_runs(live: Sequence[int]) -> dict[int, Run]:
    calibrations = Run.objects.filter(criteria_version__in=live, kind=Run.Kind.CALIBRATION)
    newest = calibrations.order_by().values("criteria_version").annotate(newest=Max("pk")).values("newest")
    found = Run.objects.filter(pk__in=newest).select_related("judge_version__judge")
    return {run.criteria_version_id: run for run in found}


def _finished(live: Sequence[int]) -> set[int]:
    """The versions on which a calibration has finished."""
    done = Run.objects.filter(criteria_version__in=live, kind=Run.Kind.CALIBRATION, state=Run.State.FINISHED)
    return set(done.order_by().values_list("criteria_version", flat=True).distinct())


def _standings(live: Sequence[int], now: datetime) -> dict[int, list[Standing]]:
    """How live judges stand on the live criteria, certified ones first."""
    current = Certificate.objects.current().filter(criteria_version__in=live).of_judge_version(None)
    found: dict[int, list[Standing]] = defaultdict(list)
    for each in current.with_names().order_by("-judge_version__kind", "judge_version__judge__slug"):
        found[each.criteria_version_id].append(Standing(each.judge_version, each.criteria_version, each, now))
    for standings in found.values():
        standings.sort(key=lambda standing: not standing.certified)
    return found
