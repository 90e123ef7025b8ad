"""The recorded panel: what it is made of, with the published answers and without."""

from pathlib import Path

import pytest

from judging.domain.precheck import Case, Layer1, run_precheck
from tests import shared
from tests.benchmarks.calls import identical
from tests.benchmarks.recorded import Recording, recording


def checked(day: Recording) -> None:
    assert len(day.jurors) == 3
    assert {name for each in day.arrivals for name in each.said} == set(day.jurors)
    assert {said for each in day.arrivals for said in each.said.values()} <= {"pass", "fail", "prose"}
    broken = [each for each in day.arrivals if '"success": false' in each.output]
    assert 0.03 < len(broken) / len(day.arrivals) < 0.06
    verdicts = {run_precheck(Case(each.output, request=each.request)).verdict for each in broken}
    assert verdicts == {Layer1.KILL}


def test_five_generators_answer_the_same_requests_sometimes_in_the_same_words() -> None:
    shared.shared_path("data/conala_code.jsonl")
    day = recording(40)

    checked(day)
    assert [len(delivery) for delivery in day.deliveries] == [42] * 5
    assert 0.08 < day.repeated / len(day.arrivals) < 0.25


def test_without_the_published_answers_the_demos_panel_stands_in(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(shared, "_ROOT", tmp_path)
    day = recording(40)

    checked(day)
    assert day.source.startswith("the demo's panel (data/conala_code.jsonl is not there")
    assert day.repeated > 0


def test_what_layer_1_decided_is_not_compared() -> None:
    full = {"said": [[[1, "pass", ""], [2, "fail", ""], [3, "skipped", "no_majority"]]]}
    less = {"said": [[[1, "pass", ""], [2, "not_asked", "killed"], [3, "skipped", "timeout"]]]}

    assert identical(less, full) == (1, 2)
