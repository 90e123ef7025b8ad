"""What a panel is worth beside its jurors."""

from dataclasses import replace

from sklearn.metrics import cohen_kappa_score

from judging.domain.measured import Measured
from judging.domain.panel_errors import SharedErrors, Without
from judging.domain.panel_worth import Member, panel_worth, spare_words, votes_words
from labeling.domain.agreement import Interval, Table
from labeling.domain.agreement.drawn import Stratum


def members(*tables: Table) -> list[Member]:
    return [Member(f"juror{number}@1", Measured(table)) for number, table in enumerate(tables, start=1)]


def test_a_juror_that_beats_its_panel_is_named_with_the_doubt() -> None:
    panel = Member("panel@1", Measured(Table(22, 3, 1, 24)))

    words = panel_worth(panel, members(Table(15, 10, 10, 15), Table(23, 2, 1, 24)))

    assert words.startswith("Here juror2@1 alone does better than the panel (kappa 0.880 against 0.840)")
    assert "with one call a row instead of 2. Their 95% intervals overlap" in words


def test_a_panel_that_beats_every_juror_is_said_to_do_so() -> None:
    words = panel_worth(Member("panel@1", Measured(Table(49, 1, 1, 49))), members(Table(30, 20, 20, 30)))

    assert words.startswith(
        "The panel does better than each juror alone: its best, juror1@1, has kappa 0.200"
    )
    assert words.endswith("Their 95% intervals do not overlap, so that is hardly luck.")


def test_rows_drawn_unequally_count_as_they_weigh() -> None:
    easy, hard = Table(20, 1, 0, 20), Table(10, 9, 9, 10)
    panel = Measured(Table(30, 10, 9, 30), (Stratum(0.1, easy), Stratum(1.0, hard)))
    truth, said = [*"ppff" * 2], [*"pfpf" * 2]  # a, b, c, d of both
    kappa = cohen_kappa_score(truth, said, sample_weight=[200, 10, 0, 200, 10, 9, 9, 10])

    words = panel_worth(Member("panel@1", panel), members(Table(20, 10, 10, 20)))

    assert f"against {kappa:.3f}" in words


def test_where_kappa_does_not_exist_nothing_is_said() -> None:
    assert panel_worth(Member("panel@1", Measured(Table(9, 0, 0, 0))), members(Table(3, 1, 1, 3))) == ""
    assert panel_worth(Member("panel@1", Measured(Table(3, 1, 1, 3))), members(Table(9, 0, 0, 0))) == ""


def without(table: Table, undecided: int = 0) -> Without:
    return Without(0, table, undecided, 0)


def test_a_juror_can_be_spared_where_the_others_do_as_well() -> None:
    rest = [("a@1", without(Table(45, 5, 5, 45))), ("b@1", without(Table(40, 10, 10, 40)))]

    assert spare_words(Table(45, 5, 5, 45), rest).startswith("On these rows a@1 could be left out")
    assert "a@1 or b@1 could" in spare_words(Table(40, 10, 10, 40), rest)
    assert spare_words(Table(50, 0, 0, 50), rest).startswith("Not one of them could be left out")
    assert spare_words(Table(9, 0, 0, 0), rest) == ""


def test_what_stays_undecided_is_no_gain() -> None:
    panel, better = Table(40, 10, 10, 40), Table(45, 0, 0, 45)

    assert "could be left out: the others" in spare_words(panel, [("a@1", without(better, undecided=4))])
    assert spare_words(panel, [("a@1", without(better, undecided=5))]).startswith("Not one of them")


def test_how_many_jurors_a_panel_is_worth() -> None:
    found = SharedErrors({(0, 1): 0.5}, 0.5, Interval(0.25, 1.0), jurors=2, n=1200)

    assert votes_words(found) == (
        "2 jurors that err together as much as these are worth about 1.3 that err apart "
        "(95% interval 1.0 to 1.6), by 1,200 rows."
    )
    assert "interval" not in votes_words(replace(found, interval=None))
