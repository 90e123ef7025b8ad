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
its own, uses loopback alone and leaves nothing behind. Quiet the machine first. `make bench ONLY=import`
measures one part and prints it without writing this page; the parts are {parts}.
With `SMALL=1` sizes are tiny, which tries the benchmarks themselves; with `FULL=1` runs over 100 000 rows are
measured, too, which takes half an hour more.
"""
_TITLES = {
    "run": "A run with stored verdicts",
    "scale": "Longer runs, more workers",
    "layer1": "Layer 1",
    "serving": "Certification over HTTP",
    "pages": "Pages with many verdicts",
    "import": "Import",
    "queue": "The next row to label",
    "calls": "Model calls per live decision",
    "peers": "The same work by other programs",
}
_FROM, _TO = "<!-- figures of make bench -->", "<!-- end of the figures -->"
_FAILED = "*This part could not be measured; `make bench` says why.*"
_ABSENT = "*Not measured: what it needs is not installed, as `make bench` says.*"


def page(origin: str, results: Mapping[str, Sequence[Figure] | None]) -> str:
    """The whole page; `results` by part, None where a part failed."""
    parts = ", ".join(f"`{name}`" for name in results)
    sections = "\n".join(_section(name, figures) for name, figures in results.items())
    return f"{_HEAD.format(origin=origin, parts=parts)}\n{sections}"


def with_table(readme: str, origin: str, results: Mapping[str, Sequence[Figure] | None]) -> str:
    """The README with the figures that have a target, between its two marks."""
    before, _, rest = readme.partition(_FROM)
    _, _, after = rest.partition(_TO)
    aimed = [figure for figures in results.values() for figure in figures or () if figure.targets]
    return f"{before}{_FROM}\n\n{origin}\n\n{table_of(aimed)}\n\n{_TO}{after}"


def _section(name: str, figures: Sequence[Figure] | None) -> str:
    measured = f"{table_of(figures)}\n\n{meanings_of(figures)}" if figures else _ABSENT
    body = _FAILED if figures is None else measured
    return f"## {_TITLES[name]}\n\n{body}\n"
