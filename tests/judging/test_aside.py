"""Rows that cannot be worked on are left for a while; what the database says concerns all of them."""

from datetime import timedelta

import pytest
from django.db import DatabaseError
from django.utils import timezone

from judging.models import AnsweredAs, Certificate
from judging.services import provider_models
from judging.services.aside import Aside
from judging.services.provider_models import check_names
from tests.factories import make_judge
from tests.judging.living import living


def test_a_row_that_failed_is_left_for_ten_minutes_and_forgotten_once_it_works() -> None:
    aside, now = Aside("Row %s failed."), timezone.now()

    assert aside.tried(7, now, lambda: [][1]) is None

    assert (aside.rows(now), aside.rows(now + timedelta(minutes=10))) == ([7], [])
    assert aside.tried(7, now, lambda: "done") == "done"
    assert aside.rows(now) == []


def test_a_database_that_is_down_puts_no_row_aside() -> None:
    aside, now = Aside("Row %s failed."), timezone.now()

    def act() -> None:
        raise DatabaseError("It is down.")

    with pytest.raises(DatabaseError):
        aside.tried(7, now, act)

    assert aside.rows(now) == []


@pytest.mark.django_db
def test_names_that_cannot_be_compared_hold_up_no_other_and_are_told_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(provider_models, "_aside", Aside("Name %s cannot be compared."))
    monkeypatch.setattr(provider_models, "_AT_ONCE", 1)
    with living(monkeypatch) as house:
        Certificate.objects.update(reasons=[{"code": "of a later release"}])
        broken = AnsweredAs.objects.get(run=house.run("scoring"))
        AnsweredAs.objects.create(
            run=broken.run, judge_version=make_judge("mild"), model="mild", seen_at=timezone.now()
        )

        for _ in range(4):  # the calibration has noted a name, too
            check_names(now=timezone.now())

    assert "mild" not in AnsweredAs.objects.filter(checked_at=None).values_list("model", flat=True)
    assert caplog.text.count(f"Name {broken.pk} cannot be compared.") == 1
