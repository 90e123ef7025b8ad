"""Vera's runs, one a turn: `python -m tests.benchmarks.ask_vera ROWS REQUESTS`, workers running elsewhere.

At the start it writes so many rows and a panel of three jurors, and into the file REQUESTS what litellm will
send for them, one request a line, for the others to ask.
"""

import json
import secrets
import sys
import time
from pathlib import Path
from typing import Any

import django

django.setup()

from django.utils import timezone  # noqa: E402

from judging.models import CriterionScore, Run, Verdict  # noqa: E402
from judging.services.plans import plan_of  # noqa: E402
from judging.services.questions import open_questions  # noqa: E402
from judging.services.runs import start_run  # noqa: E402
from judging.tasks import start_work  # noqa: E402
from labeling.models import CriteriaSet  # noqa: E402
from tests.benchmarks.programs import take_turns  # noqa: E402
from tests.benchmarks.texts import prose  # noqa: E402
from tests.factories import live, make_candidate, make_criteria_set, make_judge, make_panel  # noqa: E402

_WARM_UP = 64  # rows: enough for each worker process to have some


def requests_of(run: Run) -> list[dict[str, Any]]:
    """The bodies that go to the model for a run, as the agreed prompt and its schema make them."""
    from judging.domain.prompt import build_messages

    plan = plan_of(run)
    claimed = Verdict.objects.own().filter(run=run).order_by("pk").values_list("pk", flat=True)
    found = []
    for question in open_questions(plan, list(claimed)):
        juror, row = plan.jurors[question.juror_id], question.row
        form = {"name": "verdict", "strict": True, "schema": juror.schema}
        messages = build_messages(
            juror.template.name, plan.criteria, row.request, row.output, "", "", secrets.token_hex(16)
        )
        found.append(
            {
                "model": juror.model.removeprefix("openai/"),
                "messages": messages,
                "response_format": {"type": "json_schema", "json_schema": form},
            }
        )
    return found


def make_rows(number: int) -> CriteriaSet:
    """A criteria set with so many candidates of a kilobyte that nobody has labelled."""
    criteria_set = make_criteria_set()
    for row in range(number):
        make_candidate(criteria_set, prose(1000, row), request="Answer the customer's question, politely.")
    return criteria_set


def start(criteria_set: CriteriaSet, panel: Any) -> Run:
    return start_run(
        judge_version=panel,
        criteria_version=live(criteria_set),
        kind="scoring",
        scope="all",
        include_unlabelled=True,
        asks_all=True,  # nobody's answer is spared or taken over from an earlier round
    )


def finished(run: Run, most: float = 300.0) -> Run:
    """The run once it has ended, each of its verdicts stored. Raises TimeoutError, RuntimeError."""
    until = time.monotonic() + most
    while run.state == Run.State.RUNNING:
        if time.monotonic() > until:
            raise TimeoutError(f"{run} was not finished in {most:.0f} seconds.")
        time.sleep(0.1)
        run.refresh_from_db(fields=["state", "finished_at", "pause_reason"])
    unanswered = Verdict.objects.filter(run=run).exclude(outcome="pass").count()
    if unanswered or run.state != Run.State.FINISHED:
        raise RuntimeError(
            f"{run} is {run.state} {run.pause_reason} with {unanswered} verdicts without a pass."
        )
    return run


def one_run(criteria_set: CriteriaSet, panel: Any, most: float = 300.0) -> dict[str, float]:
    """Start a run and wait for it: its seconds from before the first row is written until it is finished."""
    began = timezone.now()
    run = start(criteria_set, panel)
    start_work(run.pk)
    ended = finished(run, most).finished_at
    assert ended is not None
    verdicts, scores = Verdict.objects.filter(run=run), CriterionScore.objects.filter(verdict__run=run)
    if scores.count() != verdicts.count():
        raise RuntimeError(f"{run} stored {scores.count()} scores for {verdicts.count()} verdicts.")
    return {"wall": (ended - began).total_seconds()}


def main() -> None:
    from judging.models import JudgeVersion

    rows, path = int(sys.argv[1]), Path(sys.argv[2])
    jurors = [make_judge(f"juror-{name}", model=f"openai/juror-{name}") for name in "abc"]
    JudgeVersion.objects.update(base_url_env="VERA_JUROR_BENCH_URL", api_key_env="VERA_JUROR_BENCH_KEY")
    panel = make_panel(jurors)
    criteria_set, few = make_rows(rows), make_rows(_WARM_UP)
    measured = start(criteria_set, panel)
    path.write_text("".join(json.dumps(request) + "\n" for request in requests_of(measured)))
    measured.delete()

    def work(word: str) -> dict[str, float]:
        return one_run(few if word == "warm up" else criteria_set, panel)

    take_turns(work)


if __name__ == "__main__":
    main()
