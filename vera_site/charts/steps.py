"""Lines through points, as the `d` of an SVG path in a box of 100 by 100."""

from collections.abc import Sequence

type Points = Sequence[tuple[float, float]]


def step_path(points: Points, end: float | None = None) -> str:
    """A line that stays at each value until the next point: what a count does. `end`: how far it goes on."""
    if not points:
        return ""
    (x, y), *rest = points
    drawn = [f"M{x:g} {y:g}", *(f"H{x:g}V{y:g}" for x, y in rest)]
    return "".join(drawn) + (f"H{end:g}" if end is not None else "")


def line_path(points: Points) -> str:
    """A straight line from each point to the next; empty for fewer than two."""
    if len(points) < 2:
        return ""
    return "M" + "L".join(f"{x:g} {y:g}" for x, y in points)
