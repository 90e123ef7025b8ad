"""What a badge says, and how large it is drawn. Its colours never say more than its words."""

from dataclasses import dataclass
from typing import Literal

type Show = Literal["usual", "status", "bound", "expires"]
type Style = Literal["flat", "plain", "large"]
type Theme = Literal["light", "dark"]


@dataclass(frozen=True, slots=True)
class Facts:
    """What a badge may tell of a judge. `state`: in one word; `kappa`, `bound`: as people read them."""

    name: str
    state: str
    certified: bool
    kappa: str = ""  # all of these are blank for a judge that was never calibrated
    bound: str = ""
    rows: int = 0
    until: str = ""  # a day
    from_file: bool = False  # its verdicts were brought in from a file


@dataclass(frozen=True, slots=True)
class Size:
    """Lengths in pixels. `character`: the width of one at this size of letters."""

    height: int
    letters: int
    character: float
    padding: int
    baseline: int
    corner: int


SIZES: dict[Style, Size] = {
    "flat": Size(height=20, letters=11, character=6.6, padding=16, baseline=14, corner=4),
    "plain": Size(height=20, letters=11, character=6.6, padding=16, baseline=14, corner=0),
    "large": Size(height=32, letters=16, character=9.6, padding=24, baseline=22, corner=6),
}
GREEN, RED = "#1c6b3c", "#9f2d2a"
_FROM_FILE = " · verdicts brought in from a file"
_LABEL: dict[Theme, str] = {"light": "#3c464c", "dark": "#5a666d"}


def words(facts: Facts, show: Show) -> str:
    """What stands beside the judge's name."""
    if not facts.kappa:
        return f"{facts.state} · never calibrated"
    told = {
        "usual": [f"kappa {facts.kappa}", f"n {facts.rows}"],
        "status": [],
        "bound": [f"kappa {facts.kappa}", *([f"at least {facts.bound}"] if facts.bound else [])],
        "expires": [f"until {facts.until}"] if facts.certified else [],
    }[show]
    return " · ".join([facts.state, *told])


def colour(facts: Facts) -> str:
    """Green for yes and red for no, with nothing between."""
    return GREEN if facts.certified else RED


def drawing(facts: Facts, show: Show, style: Style, theme: Theme) -> dict[str, object]:
    """All that the template draws, in pixels."""
    size, text = SIZES[style], words(facts, show)
    left, right = (round(len(each) * size.character + size.padding) for each in (facts.name, text))
    inner = size.padding - 2
    return {
        "name": facts.name,
        "text": text,
        "title": f"{facts.name}: {text}{_FROM_FILE * facts.from_file}",
        "size": size,
        "left": left,
        "width": left + right,
        "straight": right - size.corner,
        "side": size.height - 2 * size.corner,
        "name_at": left / 2,
        "text_at": left + right / 2,
        "name_length": left - inner,
        "text_length": right - inner,
        "label": _LABEL[theme],
        "colour": colour(facts),
    }
