"""Response formats are found out once, by one process for all."""

from datetime import timedelta

import pytest
from django.utils import timezone

from judging.llm import remember_format
from judging.models import TakenFormat
from judging.services.formats import KEPT, forget_format
from tests.judging.running import URL, judged, juror, only, scripted

pytestmark = pytest.mark.django_db


def forget_here(url: str) -> None:
    """As a process that was just started knows it."""
    remember_format("openai/no-json", url, None)


def test_a_format_that_was_refused_is_not_tried_again_by_another_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with scripted(monkeypatch) as judge:
        found_out = only(judged(juror("no-json")))
        taken = TakenFormat.objects.get()
        forget_here(judge.url)
        known = only(judged(juror("no-json")))

    assert (taken.model, taken.base_url_env, taken.format) == ("openai/no-json", URL, "none")
    assert (found_out.calls, known.calls) == (3, 1)


def test_after_a_week_or_when_told_to_the_model_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted(monkeypatch):
        judged(juror("no-json"))
        TakenFormat.objects.update(noted_at=timezone.now() - KEPT - timedelta(hours=1))
        old = only(judged(juror("no-json")))
        assert TakenFormat.objects.get().noted_at > timezone.now() - timedelta(hours=1)
        assert forget_format(model="openai/no-json", base_url_env=URL)
        told = only(judged(juror("no-json")))

    assert (old.calls, told.calls) == (3, 3)
