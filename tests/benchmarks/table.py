"""The figures as Markdown: one table, then what each row means."""

from collections.abc import Iterator, Sequence

from tests.benchmarks.figures import Figure, Target

_HEAD = ("Figure", "Value", "Baseline", "Ratio", "Target", "Met?")


def table_of(figures: Sequence[Figure]) -> str:
    """One row for each figure."""
    lines = [_HEAD, ("---", "--:", "--:", "--:", "---", "---"), *(_cells(figure) for figure in figures)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def meanings_of(figures: Sequence[Figure]) -> str:
    """What was measured, and against what: one line for all the figures of which the same is to be said."""
    names: dict[str, list[str]] = {}
    for figure in figures:
        names.setdefault(" ".join(_sentences(figure)), []).append(f"**{figure.name}**")
    return "\n".join(f"- {'; '.join(named)}: {said}" for said, named in names.items())


def _sentences(figure: Figure) -> Iterator[str]:
    yield figure.meaning
    if figure.against:
        yield f"Baseline: {figure.against}."
    if figure.where and figure.met is False:
        yield f"What falls short: {figure.where}"


def number(value: float) -> str:
    """Three significant figures, thousands apart."""
    if abs(value) >= 100:
        return f"{value:,.0f}".replace(",", " ")
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}" if abs(value) >= 0.1 else f"{value:.2g}"


def _cells(figure: Figure) -> tuple[str, ...]:
    met = {None: "", True: "yes", False: "**no**"}[figure.met]
    return (
        figure.name,
        f"{number(figure.value)} {figure.unit}",
        "" if figure.baseline is None else f"{number(figure.baseline)} {figure.unit}",
        "" if figure.ratio is None else f"{figure.ratio:.2f} ×",
        ", ".join(_goal(target, figure.unit) for target in figure.targets),
        met,
    )


def _goal(target: Target, unit: str) -> str:
    sign = "≤" if target.kind == "at most" else "≥"
    return f"{sign} {target.limit:g} ×" if target.on == "ratio" else f"{sign} {number(target.limit)} {unit}"
