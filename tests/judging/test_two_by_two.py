"""The table of people against judge as a picture: areas are counts, each leads to its rows."""

import pytest
from django.template.loader import render_to_string
from django.utils import timezone

from judging.services.standing import Standing
from judging.views.two_by_two import TwoByTwo, two_by_two
from tests.factories import live, make_criteria_set, make_judge
from tests.judging.golden import certified, make_run

pytestmark = pytest.mark.django_db


def picture(**cells: int) -> TwoByTwo:
    judge, criteria_set = make_judge("strict"), make_criteria_set("replies")
    certificate = certified(make_run(judge, criteria_set, **cells))  # type: ignore[arg-type]
    drawn = two_by_two(Standing(judge, live(criteria_set), certificate, timezone.now()))
    assert drawn is not None
    return drawn


def test_without_a_calibration_there_is_no_picture() -> None:
    standing = Standing(make_judge(), live(make_criteria_set()), None, timezone.now())

    assert two_by_two(standing) is None


def test_areas_are_as_the_counts() -> None:
    squares = [square for each in picture(a=64, b=16, c=4, d=36).classes for square in each.squares]

    assert [square.rows for square in squares] == [64, 16, 4, 36]
    assert [square.side for square in squares] == [100, 50, 25, 75]
    assert [square.agrees for square in squares] == [True, False, False, True]
    assert squares[1].start == 25


def test_shares_are_of_what_people_say() -> None:
    squares = [square for each in picture(a=30, b=10, c=1, d=3).classes for square in each.squares]

    assert [square.share for square in squares] == ["75%", "25%", "25%", "75%"]


def test_rows_outside_the_table_are_a_strip_of_their_own() -> None:
    drawn = picture(a=3, d=3, skipped_pass=3, skipped_fail=1)

    assert (drawn.n, drawn.n_outside) == (6, 4)
    assert [(part.word, part.rows, part.width) for part in drawn.outside] == [
        ("no verdict, people pass", 3, 75),
        ("no verdict, people fail", 1, 25),
    ]


def test_every_cell_leads_to_its_rows_of_these_versions() -> None:
    shown = render_to_string(
        "judging/two_by_two.html", {"two_by_two": picture(a=28, b=2, c=1, d=29, skipped_fail=1)}
    )

    for cell in ("a", "b", "c", "d", "skipped"):
        address = f"/dashboard/strict/replies/rows/{cell}/?judge_version=1&amp;version=1"
        assert f'href="{address}"' in shown
    for words in ("the judge is too strict", "the judge is too lenient", "96.7% of those that people fail"):
        assert words in shown


def test_a_class_without_rows_has_no_share() -> None:
    shown = render_to_string("judging/two_by_two.html", {"two_by_two": picture(a=8)})

    assert shown.count("no such rows") == 2
