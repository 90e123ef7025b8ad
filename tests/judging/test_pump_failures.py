"""What fails inside a worker is charged to the rows that it was at, and to no others."""

from typing import Any

import pytest
from django.db import OperationalError

from judging.models import Verdict
from judging.services import pump as pumping
from judging.services.engine import work_on
from judging.services.pump import Pump
from tests import scripted_judge
from tests.judging.running import juror, outcomes, rows, scoring, scripted

pytestmark = pytest.mark.django_db


def attempts() -> list[int]:
    return sorted(Verdict.objects.values_list("claims", flat=True))


def failing(error: Exception) -> Any:
    def fails(*_: Any, **__: Any) -> Any:
        raise error

    return fails


@pytest.mark.parametrize("sign", ["\ud800", "\x00"])
def test_an_error_that_no_database_stores_pauses_all_the_same(
    monkeypatch: pytest.MonkeyPatch, sign: str
) -> None:
    monkeypatch.setitem(scripted_judge.ERRORS, "odd", (401, "invalid_api_key", f"bad {sign} key"))
    run = scoring(juror("odd"), rows(20))
    with scripted(monkeypatch) as judge:
        work_on(run.pk)

    run.refresh_from_db()
    assert (run.state, run.pause_reason, attempts()) == ("paused", "authentication", [0] * 20)
    assert "key" in run.pause_detail
    assert len(judge.calls) < 10


def test_a_worker_that_fails_by_itself_charges_no_row(monkeypatch: pytest.MonkeyPatch) -> None:
    run = scoring(juror(), rows(4))
    with scripted(monkeypatch, delay=5) as judge:

        def fails(_: Pump) -> None:
            if len(judge.calls) == 4:
                raise RuntimeError("of its own")

        monkeypatch.setattr(Pump, "hold_on", fails)
        work_on(run.pk)

    run.refresh_from_db()
    assert (attempts(), outcomes(run), run.calls_made) == ([0] * 4, {"juror pending": 4}, 4)
    assert not Verdict.objects.exclude(claimed_by="").exists()


@pytest.mark.parametrize("place", ["open_questions", "save_answers"])
def test_rows_that_cannot_be_begun_or_saved_are_charged(monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    run = scoring(juror(), rows(2))
    monkeypatch.setattr(pumping, place, failing(RuntimeError("over a row")))
    with scripted(monkeypatch):
        work_on(run.pk)

    assert attempts() == [1, 1]
    assert not Verdict.objects.exclude(claimed_by="").exists()


def test_a_database_that_is_gone_while_stopping_is_no_row_s_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    run = scoring(juror(), rows(2))
    monkeypatch.setattr(pumping, "patiently", lambda work: work())
    monkeypatch.setattr(pumping, "save_answers", failing(OperationalError("gone")))
    with scripted(monkeypatch):
        work_on(run.pk)

    assert attempts() == [0, 0]
