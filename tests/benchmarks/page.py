"""docs/benchmarks.md, which nobody writes by hand."""

from collections.abc import Mapping, Sequence

from tests.benchmarks.figures import Figure
from tests.benchmarks.table import meanings_of, table_of

_HEAD = """\
# Benchmarks

Written by `make bench`; to change a figure, measure again. {origin}

How to read it: a value is the median of three rounds. Its baseline was measured in the same rounds, turn by
turn with it, so that whatever slowed the machine slowed both; the ratio is the median of the three rounds'
ratios, and it, not the value, is what carries over to another machine. A row without a target is there to
explain the others. The figures are of this one machine, on which the program under test, its database, the
scripted model and the client share the cores.

Linux with PostgreSQL's and Redis's programs installed is all that is needed; `make bench` starts servers of
its own, uses loopback alone and leaves nothing behind. `make bench ONLY=import` measures one part ({parts})
and prints it without writing this page; with `SMALL=1` sizes are tiny, which tries the benchmarks themselves.
Quiet the machine first.
"""
_FAILED = "*This part could not be measured; `make bench` says why.*"


def page(origin: str, results: Mapping[str, Sequence[Figure] | None]) -> str:
    """The whole page; `results` by part, None where a part failed."""
    parts = ", ".join(f"`{name}`" for name in results)
    sections = "\n".join(_section(name, figures) for name, figures in results.items())
    return f"{_HEAD.format(origin=origin, parts=parts)}\n{sections}"


def _section(name: str, figures: Sequence[Figure] | None) -> str:
    if figures is None:
        return f"## {name.capitalize()}\n\n{_FAILED}\n"
    return f"## {name.capitalize()}\n\n{table_of(figures)}\n\n{meanings_of(figures)}\n"
