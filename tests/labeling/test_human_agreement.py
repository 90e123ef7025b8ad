"""How far people agree with each other on a criteria version."""

import pytest

from labeling.services.human_agreement import human_agreement
from tests.factories import live, make_criteria_set
from tests.labeling.importing import by, import_rows, said

pytestmark = pytest.mark.django_db


def test_two_people_are_counted_once_for_each_row() -> None:
    criteria_set = make_criteria_set("replies")
    verdicts = [("pass", "pass")] * 6 + [("fail", "fail")] * 3 + [("pass", "fail")]
    rows = [said(f"{number}.", [by("a1", one), by("a2", two)]) for number, (one, two) in enumerate(verdicts)]
    import_rows("replies", *rows, said("Alone.", [by("a1", "pass")]))

    found = human_agreement(live(criteria_set))

    # Agreement .9; by chance .7 * .6 + .3 * .4 = .54.
    assert found is not None
    assert (found.rows, found.labelers, found.left_out) == (10, 2, 0)
    assert found.value == pytest.approx(0.36 / 0.46)


def test_who_only_ever_saw_rows_in_dispute_is_left_out() -> None:
    criteria_set = make_criteria_set("replies")
    rows = [said(f"{number}.", [by("a1", "pass"), by("a2", "pass")]) for number in range(5)]
    rows += [said(f"No {number}.", [by("a1", "fail"), by("a2", "fail")]) for number in range(4)]
    rows += [said("Hm.", [by("a1", "pass"), by("a2", "fail"), by("a3", "pass")])]
    import_rows("replies", *rows)

    found = human_agreement(live(criteria_set))

    # Without a3: agreement .9; by chance .6 * .5 + .4 * .5 = .5.
    assert found is not None
    assert (found.rows, found.labelers, found.left_out) == (10, 2, 1)
    assert found.value == pytest.approx(0.8)
