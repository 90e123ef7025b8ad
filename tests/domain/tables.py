"""Tables for property tests of agreement."""

from hypothesis import strategies as st

from labeling.domain.agreement import Table

counts = st.integers(0, 300)
nonempty_tables = st.builds(Table, counts, counts, counts, counts).filter(lambda table: table.n > 0)
# Kappa exists unless all rows lie in cell a or all in cell d.
tables = nonempty_tables.filter(lambda table: table.n not in (table.a, table.d))


def swap_raters(table: Table) -> Table:
    """People and judge change places."""
    return Table(table.a, table.c, table.b, table.d)


def swap_classes(table: Table) -> Table:
    """Pass and fail change names."""
    return Table(table.d, table.c, table.b, table.a)


def as_lists(table: Table) -> tuple[list[int], list[int]]:
    """The verdicts of people and of the judge, row by row, for libraries that want them so."""
    human = [1] * table.n_pass + [0] * table.n_fail
    judge = [1] * table.a + [0] * table.b + [1] * table.c + [0] * table.d
    return human, judge
