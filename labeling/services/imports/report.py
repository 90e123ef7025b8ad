"""What became of a file: counts, refused rows, and sentences about what an import left out."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from labeling.formats.rows import Refused

MOST_REFUSED = 100_000
RECORDED_REFUSED = 200


class ImportProblem(ValueError):
    """The import cannot be done at all; the text says what to do."""


@dataclass
class Report:
    """The outcome of one import. `kept` is false for a check only, and where refused rows held it back."""

    file_name: str
    format: str
    dry_run: bool = False
    keep_good: bool = False
    criteria: str = ""
    version: int = 0
    kept: bool = False
    batch: int = 0  # primary key of the import's record
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
                "Nothing was kept. Is this the right file, in the right format?"
            )

    @property
    def acceptable(self) -> bool:
        """Whether the rows may be kept: none is refused, or there are good ones and these shall be kept."""
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
        if not any(self.counts[name] for name in _NEW):
            return f"Everything in {self.file_name} was known to {target} already: nothing new."
        return f"Imported {self.file_name} into {target}."

    def lines(self) -> Iterator[str]:
        """The counts in words; of a file that is refused as a whole, only what was refused."""
        if self.acceptable:
            return in_words(self.counts)
        return in_words({name: self.counts[name] for name in ("rows", "refused")})

    def as_json(self) -> dict[str, Any]:
        """The whole report, for `--json` and for programs."""
        return {
            "file": self.file_name,
            "format": self.format,
            "criteria": self.criteria,
            "version": self.version,
            "dry_run": self.dry_run,
            "kept": self.kept,
            "counts": self.recorded_counts(),
            "refused": [refused.as_json() for refused in self.refused],
            "notes": self.notes,
        }

    def recorded_counts(self) -> dict[str, int]:
        """Every count by name, zero where nothing was counted."""
        return {name: self.counts[name] for name in _WORDS}


_NEW = ("candidates", "submissions", "labels", "rulings", "unresolved", "drawn")


def in_words(counts: Mapping[str, int]) -> Iterator[str]:
    """The counts that are not zero, each as a few words."""
    for name, (one, many) in _WORDS.items():
        if number := counts.get(name, 0):
            yield f"{number:,} {one if number == 1 else many}".replace(",", "\N{NO-BREAK SPACE}")


# Every count: its name, and what one or several of it are.
_WORDS = {
    "rows": ("row read", "rows read"),
    "refused": ("row refused", "rows refused"),
    "candidates": ("new candidate", "new candidates"),
    "candidates_known": (
        "row whose candidate was already known",
        "rows whose candidate was already known",
    ),
    "submissions": ("new submission", "new submissions"),
    "labels": ("new label", "new labels"),
    "labels_known": ("label already known", "labels already known"),
    "labels_contradicting": (
        "label that contradicts an earlier one of the same person in this file; the first is kept",
        "labels that contradict an earlier one of the same person in this file; the first is kept",
    ),
    "marks": ("new mark", "new marks"),
    "marks_dropped": ("mark left out", "marks left out"),
    "rulings": ("new ruling", "new rulings"),
    "rulings_known": ("ruling already known", "rulings already known"),
    "unresolved": (
        "candidate whose rows contradict each other: unresolved until a lead rules on it",
        "candidates whose rows contradict each other: unresolved until a lead rules on them",
    ),
    "queued": ("candidate in the labeling queue", "candidates in the labeling queue"),
    "drawn": ("row with the probability of its draw", "rows with the probability of their draw"),
    "split_kept": (
        "row of another split than its candidate, which keeps its own",
        "rows of another split than their candidate, which keeps its own",
    ),
    "judge_verdicts_ignored": (
        "verdict of a judge left out: it comes in by load_recorded or under Judges",
        "verdicts of judges left out: they come in by load_recorded or under Judges",
    ),
    "silent_annotators": ("annotator entry without a verdict", "annotator entries without a verdict"),
}
