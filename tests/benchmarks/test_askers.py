"""The three askers of the run's benchmark ask the same, and the lean judge answers them all."""

import re
from pathlib import Path
from typing import Any

import pytest

from judging.loop import run_in_loop
from judging.models import Verdict
from judging.services.engine import work_on
from tests.benchmarks import ask_aiohttp, ask_litellm
from tests.benchmarks.ask_vera import finished, make_rows, requests_of, start
from tests.benchmarks.programs import program, turn
from tests.judging.running import juror, scripted
from tests.scripted_judge import Asked

pytestmark = pytest.mark.django_db(transaction=True)


def without_boundary(call: Asked) -> Any:
    """The body, but for the word that is another one each time."""
    question = call.body["messages"][-1]["content"]
    word = re.search(r"The random word is (\S+)\.", question)
    assert word is not None
    messages = [call.body["messages"][0], {"role": "user", "content": question.replace(word[1], "…")}]
    return call.body | {"messages": messages}


def test_all_three_ask_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted(monkeypatch) as judge:
        run = start(make_rows(1), juror())
        requests = requests_of(run)

        work_on(run.pk)
        run_in_loop(ask_litellm.send_all(judge.url, requests, 1)).result(60)
        run_in_loop(ask_aiohttp.send_all(judge.url, requests, 1)).result(60)

        bodies = [without_boundary(call) for call in judge.calls]
        assert len(bodies) == 3
        assert bodies[0] == bodies[1] == bodies[2]


def test_the_lean_judge_lets_a_run_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    with program("lean_judge", "--delay", "0.01") as judge:
        monkeypatch.setenv("VERA_JUROR_TEST_URL", f"http://127.0.0.1:{judge.hear()}/v1")
        monkeypatch.setenv("VERA_JUROR_TEST_KEY", "sk-test")
        run = start(make_rows(2), juror())

        work_on(run.pk)

        run.refresh_from_db()
        finished(run)
        assert Verdict.objects.filter(run=run, outcome="pass", answered_model="pass").count() == 2


def test_the_client_counts_what_it_was_answered(tmp_path: Path) -> None:
    with program("lean_judge") as judge, program("client", str(judge.hear()), "0.1", "2") as client:
        client.hear()

        _, [heard] = turn(client, word='{"path": "/", "headers": {}}')

        assert heard["answers"] > 2
        assert 0 < heard["p95"] <= heard["p99"]
