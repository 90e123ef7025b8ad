"""What there is to compare, and what a lead most likely means to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, QuerySet

from judging.models import Calibration, JudgeVersion, Run
from judging.services.comparing import CannotCompare, counts_of, generators_of, measured
from labeling.models import CriteriaSet, CriteriaVersion

_MOST = 100  # choices of one kind; of older ones an address still tells


@dataclass(frozen=True, slots=True)
class Side:
    """A judge as it was measured last, or in one run: what the form sends, and what it shows."""

    value: str
    text: str
    judge: JudgeVersion
    run: int


def versions_of(sets: QuerySet[CriteriaSet]) -> Sequence[CriteriaVersion]:
    """Criteria on which some run ended, the newest first."""
    ended = Run.objects.filter(criteria_version=OuterRef("pk"), state=Run.State.FINISHED)
    found = CriteriaVersion.objects.filter(Exists(ended), criteria_set__in=sets)
    return list(found.select_related("criteria_set").order_by("-pk")[:_MOST])


def choose_version(versions: Sequence[CriteriaVersion], given: Mapping[str, str]) -> CriteriaVersion | None:
    """The one that is named, or the set's newest; else where the named judge was measured last."""
    if named := given.get("criteria"):
        return next((each for each in versions if named in (str(each), each.criteria_set.slug)), None)
    if "@" in given.get("after", "") and given.get("what") != "generators":
        slug, _, number = given["after"].partition("/")[0].partition("@")
        by = Calibration.objects.filter(judge_version__judge__slug=slug, is_current=True)
        if number.isascii() and number.isdecimal() and len(number) < 9:
            of_these = by.filter(judge_version__number=number, criteria_version__in=versions).order_by("-pk")
            last = of_these.values_list("criteria_version", flat=True).first()
            return next((each for each in versions if each.pk == last), next(iter(versions), None))
    return next(iter(versions), None)


def sides_of(version: CriteriaVersion) -> list[Side]:
    """Each measured judge as it was measured last; where there are more runs, each of them as well."""
    found, by_judge = [], dict[int, int]()
    counts = measured(version).select_related("judge_version__judge__live_version")[: 2 * _MOST]
    for each in counts:
        judge, seen = each.judge_version, by_judge.get(each.judge_version_id, 0)
        by_judge[each.judge_version_id] = seen + 1
        rows = f"run {each.run_id}, {each.run.get_kind_display()}, {each.table.n:,} rows"
        text = f"{judge} ({rows})" if seen else f"{judge}, newest ({rows})"
        found.append(Side(f"{judge}/{each.run_id}" if seen else str(judge), text, judge, each.run_id))
    return found


def chosen_sides(sides: Sequence[Side], given: Mapping[str, str]) -> dict[str, str]:
    """What an address says, with a judge's newest run by the name under which it is offered.

    Where it names only what is after, that stands beside the live version of its judge, else beside the last
    one that was measured otherwise.
    """
    newest = {f"{each.judge}/{each.run}": each.value for each in sides}
    found = {name: newest.get(value, value) for name, value in given.items()}
    after = next((each for each in sides if each.value == found.get("after")), None)
    if after and not found.get("before"):
        others = [each for each in sides if each != after]
        live = [each for each in others if each.judge.pk == after.judge.judge.live_version_id]
        if against := live or others:
            found["before"] = against[0].value
    return found


def starting_sides(sides: Sequence[Side]) -> dict[str, str] | None:
    """The newest draft beside the live version of its judge; None where no draft is beside one."""
    newest = {each.judge.pk: each for each in sides if "/" not in each.value}
    for side in newest.values():
        live = side.judge.judge.live_version
        if live and live.pk in newest and side.judge.number > live.number:
            return {"before": newest[live.pk].value, "after": side.value}
    return None


def named_counts(version: CriteriaVersion, value: str) -> Calibration:
    """What a side's value names. Raises `CannotCompare`."""
    name, _, run = value.partition("/")
    slug, _, number = name.partition("@")
    judge = JudgeVersion.objects.select_related("judge").filter(judge__slug=slug, number=number).first()
    if judge is None:
        raise CannotCompare(f"There is no judge “{name}”. Choose another.")
    return counts_of(version, judge, int(run) if run else None)


def judges_asked(version: CriteriaVersion) -> list[JudgeVersion]:
    """Judges that were asked about rows by these criteria, live ones first, then the newest.

    No recorded ones: a file says nothing of outputs that another writer made after it.
    """
    asked = Run.objects.filter(judge_version=OuterRef("pk"), criteria_version=version)
    asking = JudgeVersion.objects.exclude(kind=JudgeVersion.Kind.RECORDED)
    found = asking.filter(Exists(asked)).select_related("judge").order_by("-pk")[:_MOST]
    return sorted(found, key=lambda each: each.judge.live_version_id != each.pk)


def names_of_generators(version: CriteriaVersion) -> list[str]:
    """The generators of the criteria set's rows, those with most rows first."""
    return generators_of(version, _MOST)
