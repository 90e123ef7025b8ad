"""Two leads at the same moment: numbers are given once, rulings follow each other."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from threading import Barrier

import pytest
from django.db import connection

from labeling.domain.criteria import CriteriaSpec, CriterionSpec
from labeling.models import Ruling
from labeling.services.criteria import add_version
from labeling.services.rulings import RulingRefused, rule
from tests.factories import live, make_candidate, make_criteria_set, make_user

pytestmark = pytest.mark.django_db(transaction=True)

AT_ONCE = 4


def at_once(act: Callable[[int], object]) -> list[object]:
    """What `act(0)`, `act(1)`, … answer or raise when they start together, each on its own connection."""
    start = Barrier(AT_ONCE)

    def one(place: int) -> object:
        start.wait()
        try:
            return act(place)
        except RulingRefused as refused:
            return refused
        finally:
            connection.close()

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(one, range(AT_ONCE)))


def test_versions_added_at_once_have_numbers_of_their_own() -> None:
    criteria_set = make_criteria_set()
    kind = CriterionSpec("kind", "Is kind.", minimum=1)

    at_once(
        lambda place: add_version(
            criteria_set=criteria_set, spec=CriteriaSpec((kind,), Decimal(place + 1) / 10)
        )
    )

    assert [version.number for version in criteria_set.versions.all()] == [1, 2, 3, 4, 5]


def test_of_rulings_made_at_once_one_stands_and_the_others_are_told() -> None:
    row = make_candidate(make_criteria_set())
    version, leads = live(row.criteria_set), [make_user() for _ in range(AT_ONCE)]

    answers = at_once(
        lambda place: rule(
            candidate=row, version=version, verdict="pass", reason="Fine.", actor=leads[place], seen=None
        )
    )

    assert sum(isinstance(answer, Ruling) for answer in answers) == 1
    assert Ruling.objects.count() == 1
