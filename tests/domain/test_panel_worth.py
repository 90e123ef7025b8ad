"""What a panel is worth beside its jurors."""

from judging.domain.panel_worth import Member, panel_worth
from labeling.domain.agreement import Table


def members(*tables: Table) -> list[Member]:
    return [Member(f"juror{number}@1", table) for number, table in enumerate(tables, start=1)]


def test_a_juror_that_beats_its_panel_is_named_with_the_doubt() -> None:
    panel = Member("panel@1", Table(22, 3, 1, 24))

    words = panel_worth(panel, members(Table(15, 10, 10, 15), Table(23, 2, 1, 24)))

    assert words.startswith("Here juror2@1 alone does better than the panel (kappa 0.880 against 0.840)")
    assert "with one call a row instead of 2. Their 95% intervals overlap" in words


def test_a_panel_that_beats_every_juror_is_said_to_do_so() -> None:
    words = panel_worth(Member("panel@1", Table(49, 1, 1, 49)), members(Table(30, 20, 20, 30)))

    assert words.startswith(
        "The panel does better than each juror alone: its best, juror1@1, has kappa 0.200"
    )
    assert words.endswith("Their 95% intervals do not overlap, so that is hardly luck.")


def test_where_kappa_does_not_exist_nothing_is_said() -> None:
    assert panel_worth(Member("panel@1", Table(9, 0, 0, 0)), members(Table(3, 1, 1, 3))) == ""
    assert panel_worth(Member("panel@1", Table(3, 1, 1, 3)), members(Table(9, 0, 0, 0))) == ""
