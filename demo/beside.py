"""What the example shows beside its calibrations: order of reference sets, a replay, a recorded judge."""

import io
from collections.abc import Callable
from functools import partial

from django.core.management import call_command
from django.db import transaction
from django.utils import timezone

from demo.example import DRAFT, PANEL, STORY, start_scoring
from demo.rows import FOLDER
from judging.models import Judge, ReferenceSet, Run
from judging.services.ordering import start_ordering
from judging.services.reference_sets import CannotOrder, make_reference_set
from judging.services.runs import CannotRun
from judging.services.standing import Standing, named_standing
from judging.services.starting import start_once
from judging.tasks import start_work
from labeling.models import Candidate, CriteriaSet, CriteriaVersion

RECORDED = "word-matcher"
# Rows for tuning by the number of their id; a set's outputs answer one request. The fault of 73 is one that
# both panels miss; those of 68 and 127 the cheaper one alone.
_SETS = {
    "warehouse: an invention, a wrong number": ([65], [68, 69]),
    "translations: a wrong owner, a decision is missing": ([71, 72], [73, 75]),
    "library project: numbers that changed places": ([121], [122, 123]),
    "bike parking: a wrong date, an invention": ([124, 125], [126, 127]),
    "summer fair: a decision is missing": ([128], [129]),
}

type Starter = Callable[[Standing], Run]


def load_beside() -> None:
    """The recorded judge, and reference sets of rows that people settled. Once: what people change stays."""
    if not Judge.objects.filter(slug=RECORDED).exists():
        call_command(
            "load_recorded", str(FOLDER / "word_matcher.csv"), criteria_set=STORY,
            judge=RECORDED, stdout=io.StringIO(),
        )  # fmt: skip
    version = CriteriaSet.objects.get(slug=STORY).live_version
    if version is not None and not ReferenceSet.objects.filter(criteria_set__slug=STORY).exists():
        for name, (good, deficient) in _SETS.items():
            _make_set(version, name, good, deficient)


def _make_set(version: CriteriaVersion, name: str, good: list[int], deficient: list[int]) -> None:
    try:
        make_reference_set(version=version, name=name, good=_rows(good), deficient=_rows(deficient))
    except CannotOrder:  # people have settled its rows otherwise since, or an earlier demo has no such rows
        return


def _rows(numbers: list[int]) -> list[int]:
    names = [f"meeting-{number:02}" for number in numbers]
    found = Candidate.objects.filter(criteria_set__slug=STORY, submissions__external_id__in=names)
    return list(found.values_list("pk", flat=True))


def start_beside() -> list[Run]:
    """Runs of the example that were never started, at work side by side."""
    wanted: list[tuple[str, str, Starter]] = [
        (RECORDED, Run.Kind.CALIBRATION, _calibration),
        (PANEL, Run.Kind.ORDERING, _order),
        (DRAFT, Run.Kind.ORDERING, _order),
        (PANEL, Run.Kind.REPLAY, _replay),
    ]
    started = [_start_once(judge, kind, start) for judge, kind, start in wanted]
    return [run for run in (start_scoring(), *started) if run is not None]


def _start_once(judge: str, kind: str, start: Starter) -> Run | None:
    """None where such a run was made already, or what people changed leaves nothing to ask about."""
    standing = named_standing(judge, STORY, timezone.now())
    made = Run.objects.filter(judge_version=standing.judge_version, kind=kind)
    if made.filter(criteria_version__criteria_set__slug=STORY).exists():
        return None
    try:
        with transaction.atomic():
            run = start(standing)
            transaction.on_commit(partial(start_work, run.pk))
    except CannotRun:
        return None
    return run


def _calibration(standing: Standing) -> Run:
    return start_once(judge_version=standing.judge_version, criteria_version=standing.criteria_version)[0]


def _order(standing: Standing) -> Run:
    return start_ordering(judge_version=standing.judge_version, criteria_version=standing.criteria_version)[0]


def _replay(standing: Standing) -> Run:
    judge, criteria = standing.judge_version, standing.criteria_version
    return start_once(judge_version=judge, criteria_version=criteria, kind=Run.Kind.REPLAY)[0]
