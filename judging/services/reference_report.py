"""What became of a file of pairs: counts, refused rows, and sentences about what was left out."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from labeling.formats.rows import Refused
from labeling.services.imports import ImportProblem
from labeling.services.imports.report import MOST_REFUSED

_WORDS = {
    "rows": ("row read", "rows read"),
    "refused": ("row refused", "rows refused"),
    "sets": ("new reference set", "new reference sets"),
    "sets_known": ("pair already known", "pairs already known"),
    "candidates": ("new output", "new outputs"),
    "candidates_known": ("output already known", "outputs already known"),
    "ties": (
        "tie left out: neither output is the better one",
        "ties left out: neither output is the better one",
    ),
    "undecided": (
        "pair left out because nobody decided: no final vote and no majority",
        "pairs left out because nobody decided: no final vote and no majority",
    ),
}


@dataclass
class ReferenceReport:
    """The outcome of one import. `kept` is false for a check only, and where refused rows held it back."""

    file_name: str
    criteria: str
    dry_run: bool = False
    keep_good: bool = False
    version: int = 0
    kept: bool = False
    counts: Counter[str] = field(default_factory=Counter)
    refused: list[Refused] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def refuse(self, refused: Refused) -> None:
        """Take down a refused row. Raises ImportProblem where there are too many to be worth naming."""
        self.refused.append(refused)
        self.counts["refused"] += 1
        if len(self.refused) >= MOST_REFUSED:
            raise ImportProblem(
                f"More than {MOST_REFUSED} rows are refused, the first because: {self.refused[0].reason} "
                "Nothing was kept. Is this the right file?"
            )

    @property
    def acceptable(self) -> bool:
        """Whether the pairs may be kept: none is refused, or there are good ones and these shall be kept."""
        return self.counts["rows"] > len(self.refused) and (self.keep_good or not self.refused)

    @property
    def headline(self) -> str:
        """The outcome in one sentence."""
        target = f"{self.criteria}@{self.version}" if self.version else self.criteria
        if not self.acceptable:
            return (
                f"Nothing of {self.file_name} was kept: it has refused rows. Correct them and import again."
            )
        if self.dry_run:
            return f"{self.file_name} can be imported into {target}. This was a check: nothing was kept."
        if not self.counts["sets"]:
            return f"{self.file_name} holds no pair that is new to {target}."
        return f"Imported the pairs of {self.file_name} into {target} as reference sets."

    def lines(self) -> Iterator[str]:
        """The counts in words; of a file that is refused as a whole, only what was refused."""
        for name, (one, many) in _WORDS.items():
            number = self.counts[name] if self.acceptable or name in ("rows", "refused") else 0
            if number:
                yield f"{number:,} {one if number == 1 else many}".replace(",", "\N{NO-BREAK SPACE}")

    def as_json(self) -> dict[str, Any]:
        """The whole report, for `--json` and for programs."""
        return {
            "file": self.file_name,
            "criteria": self.criteria,
            "version": self.version,
            "dry_run": self.dry_run,
            "kept": self.kept,
            "counts": {name: self.counts[name] for name in _WORDS},
            "refused": [refused.as_json() for refused in self.refused],
            "notes": self.notes,
        }
