"""A run against a scripted judge, as the tests of the engine need it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from judging.models import JudgeVersion, Run, Verdict
from judging.services.engine import work_on
from judging.services.plans import Plan
from judging.services.pump import Pump
from judging.services.runs import start_run
from labeling.models import CriteriaSet
from tests.factories import live, make_candidate, make_criteria_set, make_judge, make_panel
from tests.scripted_judge import ScriptedJudge

URL, KEY = "VERA_JUROR_TEST_URL", "VERA_JUROR_TEST_KEY"


@contextmanager
def scripted(monkeypatch: pytest.MonkeyPatch, plan: Any = None, **script: Any) -> Iterator[ScriptedJudge]:
    """A scripted judge that the jurors of these tests are configured to ask."""
    with ScriptedJudge(plan, **script) as judge:
        monkeypatch.setenv(URL, judge.url)
        monkeypatch.setenv(KEY, "sk-test-0123456789")
        yield judge


def juror(behaviour: str = "pass", **columns: Any) -> JudgeVersion:
    """A model that behaves as the scripted judge's behaviour of that name."""
    version = make_judge(model=f"openai/{behaviour}")
    JudgeVersion.objects.filter(pk=version.pk).update(**{"base_url_env": URL, "api_key_env": KEY} | columns)
    version.refresh_from_db()
    return version


def panel(*behaviours: str, on_split: str = "majority") -> JudgeVersion:
    return make_panel([juror(behaviour) for behaviour in behaviours], on_split=on_split)


def rows(number: int) -> CriteriaSet:
    """A criteria set with that many unlabelled candidates."""
    criteria_set = make_criteria_set()
    for _ in range(number):
        make_candidate(criteria_set)
    return criteria_set


def scoring(judge: JudgeVersion, criteria_set: CriteriaSet, *, asks_all: bool = True, **more: Any) -> Run:
    """A run over every row, labelled or not; every juror is asked unless the test is about frugality."""
    return start_run(
        asks_all=asks_all,
        judge_version=judge,
        criteria_version=live(criteria_set),
        kind="scoring",
        scope="all",
        include_unlabelled=True,
        **more,
    )


def judged(judge: JudgeVersion, number: int = 1, **more: Any) -> Run:
    """A run over so many rows, worked on until this process finds nothing more to do."""
    run = scoring(judge, rows(number), **more)
    work_on(run.pk)
    run.refresh_from_db()
    return run


def frugal(judge: JudgeVersion, criteria_set: CriteriaSet, **more: Any) -> Run:
    """A run over every row that asks no further than needed, worked on."""
    run = scoring(judge, criteria_set, asks_all=False, **more)
    work_on(run.pk)
    run.refresh_from_db()
    return run


def pumped(plan: Plan, worker: str) -> None:
    """One worker's work on a run until nothing of it is free."""
    pump = Pump(plan, worker)
    while pump.step(0.05):
        pass
    pump.close()


def only(run: Run) -> Verdict:
    """The one verdict of the run's own judge."""
    return run.verdicts.get(panel_verdict=None)


def outcomes(run: Run) -> dict[str, int]:
    """How many verdicts there are of each kind and outcome."""
    found: dict[str, int] = {}
    for kind, outcome in run.verdicts.values_list("kind", "outcome"):
        found[f"{kind} {outcome}"] = found.get(f"{kind} {outcome}", 0) + 1
    return found
