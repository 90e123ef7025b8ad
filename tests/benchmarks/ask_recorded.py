"""A day of live decisions by a recorded panel, one way of asking a turn: `… ask_recorded REQUESTS`.

Each word it is told is a mode; it answers with the calls and dollars that the day took, and its verdicts.
"""

import os
import sys
from dataclasses import replace
from typing import Any

import django

os.environ |= {"VERA_JUROR_BENCH_URL": "http://127.0.0.1:1/v1", "VERA_JUROR_BENCH_KEY": "sk-bench"}
django.setup()

from judging.models import JudgeVersion, Verdict  # noqa: E402
from judging.services.plans import plan_of  # noqa: E402
from judging.services.pump import Pump  # noqa: E402
from judging.services.runs import start_run  # noqa: E402
from labeling.models import Candidate, CriteriaSet  # noqa: E402
from tests.benchmarks.programs import take_turns  # noqa: E402
from tests.benchmarks.recorded import Arrival, Recording, recording  # noqa: E402
from tests.factories import live, make_candidate, make_criteria_set, make_judge, make_panel  # noqa: E402
from tests.scripted_judge import PROMPT_TOKENS, Body, ScriptedJudge, candidate_of  # noqa: E402

# Each way of asking does what the one before it does, and more.
MODES: dict[str, dict[str, bool]] = {
    "all": {"stops_early": False, "reuses": False, "spares_killed": False},
    "early stop": {"stops_early": True, "reuses": False, "spares_killed": False},
    "reuse": {"stops_early": True, "reuses": True, "spares_killed": False},
    "precheck": {"stops_early": True, "reuses": True, "spares_killed": True},
}
CENTS_PER_CALL = 0.1
_PRICE = {"input": CENTS_PER_CALL / 100 * 1_000_000 / PROMPT_TOKENS, "output": 0}


def answering(day: Recording) -> Any:
    """The scripted judge's plan: each juror says what it said then."""
    said: dict[str, list[Arrival]] = {}
    for arrival in day.arrivals:
        said.setdefault(arrival.output, []).append(arrival)

    def plan(body: Body, n: int) -> str:
        question = str(body["messages"][1]["content"])
        asked = next(each for each in said[candidate_of(body)] if each.request in question)
        return asked.said[body["model"]]

    return plan


def panel_of(day: Recording) -> JudgeVersion:
    """A panel of its own for each mode, so that none takes over what another was told."""
    jurors = [make_judge(model=f"openai/{name}", family=name) for name in day.jurors]
    JudgeVersion.objects.filter(kind="model").update(
        base_url_env="VERA_JUROR_BENCH_URL", api_key_env="VERA_JUROR_BENCH_KEY", price=_PRICE
    )
    return make_panel(jurors)


def stored(criteria_set: CriteriaSet, day: Recording) -> dict[tuple[str, str], Candidate]:
    """A candidate for each text, by request and output; one that comes again is the same one."""
    texts = dict.fromkeys((each.request, each.output) for each in day.arrivals)
    return {
        (request, output): make_candidate(criteria_set, output, request=request) for request, output in texts
    }


def decide(
    mode: str, panel: JudgeVersion, criteria_set: CriteriaSet, delivery: list[Candidate]
) -> dict[str, Any]:
    """Judge one delivery through the engine: calls, dollars, and outcome and reason of each row."""
    run = start_run(
        judge_version=panel,
        criteria_version=live(criteria_set),
        kind="scoring",
        asks_all=not MODES[mode]["reuses"],
        candidates=Candidate.objects.filter(pk__in=[each.pk for each in delivery]),
    )
    way = MODES[mode]
    plan = replace(
        plan_of(run),
        stops_early=way["stops_early"],
        reuses=way["reuses"],
        spares_killed=way["spares_killed"],
    )
    pump = Pump(plan, "bench")
    while pump.step(0.05):
        pass
    pump.close()
    run.refresh_from_db()
    if run.state != "finished":
        raise RuntimeError(f"{run} is {run.state} {run.pause_reason}.")
    own = Verdict.objects.own().filter(run=run).order_by("candidate")
    said = list(own.values_list("candidate", "outcome", "reason"))
    return {"calls": run.calls_made, "cost": float(run.cost_made), "said": said}


def main() -> None:
    day = recording(int(sys.argv[1]))
    criteria_set = make_criteria_set()
    candidates = stored(criteria_set, day)
    deliveries = [[candidates[each.request, each.output] for each in part] for part in day.deliveries]
    with ScriptedJudge(answering(day)) as judge:
        os.environ["VERA_JUROR_BENCH_URL"] = judge.url

        def work(mode: str) -> dict[str, Any]:
            panel = panel_of(day)
            parts = [decide(mode, panel, criteria_set, delivery) for delivery in deliveries]
            return {
                "source": day.source,
                "repeated": day.repeated,
                "decisions": len(day.arrivals),
                "calls": sum(part["calls"] for part in parts),
                "cost": sum(part["cost"] for part in parts),
                "said": [part["said"] for part in parts],
            }

        take_turns(work)


if __name__ == "__main__":
    main()
