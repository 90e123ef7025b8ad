"""Bars made of parts."""

from collections.abc import Iterable
from dataclasses import dataclass

from vera_site.charts.axis import place


@dataclass(frozen=True, slots=True)
class Segment:
    """One part of a stacked bar: `x` and `width` in per cent of it, `share` of the whole in per cent.

    `kind` is how it looks, `word` what it is called, `href` where it leads ("": nowhere).
    """

    kind: str
    word: str
    rows: int
    x: float
    width: float
    href: str = ""

    @property
    def share(self) -> str:
        """Its share in words; never 0 % of something nor 100 % of not quite all."""
        if self.width < 0.1:
            return "under 0.1%"
        if 99.9 < self.width < 100:
            return "over 99.9%"
        return f"{self.width:.1f}%".replace(".0%", "%")


def stacked(parts: Iterable[tuple[str, str, int, str]]) -> tuple[Segment, ...]:
    """Parts (kind, word, rows, href) side by side; those without a row take no place and are left out."""
    found = [part for part in parts if part[2] > 0]
    whole = sum(rows for _, _, rows, _ in found)
    segments, before = [], 0
    for kind, word, rows, href in found:
        x, width = 100 * before / whole, 100 * rows / whole
        segments.append(Segment(kind, word, rows, place(x), round(width, 4), href))
        before += rows
    return tuple(segments)
