"""What became of a file: counts, refused rows, and sentences about what an import left out."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from labeling.formats.rows import Refused

MOST_REFUSED = 100_000
RECORDED_REFUSED = 200
_SAMPLE_LINES = 10


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
    elsewhere: list[int] = field(
        default_factory=list
    )  # the first lines whose id the set has with other content

    def refuse(self, refused: Refused) -> None:
        """Take down a refused row. Raises ImportProblem where there are too many to be worth naming."""
        self.refused.append(refused)
        self.counts["refused"] += 1
        if len(self.refused) >= MOST_REFUSED:
            raise ImportProblem(
                f"More than {MOST_REFUSED} rows are refused, the first because: {self.refused[0].reason} "
                "Nothing was kept. Is this the right file, in the right format?"
            )

    def id_elsewhere(self, line: int) -> None:
        """Take down a row whose id the set knows with another content: nothing wrong, but worth a look."""
        self.counts["ids_elsewhere"] += 1
        if len(self.elsewhere) < _SAMPLE_LINES:
            self.elsewhere.append(line)

    @property
    def acceptable(self) -> bool:
        """Whether the rows may be kept: none is refused, or there are good ones and these shall be kept."""
        return self.counts["rows"] > len(self.refused) and (self.keep_good or not self.refused)

    @property
    def headline(self) -> str:
        """The outcome in one sentence."""
        target = f"{self.criteria}@{self.version}" if self.version else self.criteria
        if not self.acceptable and self.dry_run:
            return (
                f"{self.file_name} has refused rows. This was a check: nothing was kept. "
                "Correct them, or keep the good rows alone."
            )
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
        """The counts in words; of a file that was refused as a whole, only what was refused."""
        if self.acceptable or self.dry_run:
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

    def note_elsewhere(self) -> None:
        """Say which rows have an id that the set knows with another content."""
        if not self.elsewhere:
            return
        lines = ", ".join(map(str, self.elsewhere))
        more = ", …" if self.counts["ids_elsewhere"] > len(self.elsewhere) else ""
        self.notes.append(
            f"The ids on line{'s' if len(self.elsewhere) > 1 else ''} {lines}{more} are known to "
            f"{self.criteria} with other content. Such rows are candidates of their own, and the earlier "
            "ones stay: where a text was only corrected, both are there now."
        )

    def recorded_counts(self) -> dict[str, int]:
        """Every count by name, zero where nothing was counted."""
        return {name: self.counts[name] for name in _WORDS}


_NEW = ("candidates", "submissions", "labels", "rulings", "unresolved", "drawn")


def in_words(counts: Mapping[str, int]) -> Iterator[str]:
    """The counts that are not zero, each as a few words."""
    for name, (one, many) in _WORDS.items():
        if number := counts.get(name, 0):
            spelt = f"{number:,}".replace(",", "\N{NO-BREAK SPACE}")
            yield f"{spelt} {one if number == 1 else many}"


# Every count: its name, and what one or several of it are.
_WORDS = {
    "rows": ("row read", "rows read"),
    "refused": ("row refused", "rows refused"),
    "candidates": ("new row", "new rows"),
    "empty": ("row whose output is empty", "rows whose output is empty"),
    "candidates_known": (
        "row whose content the set had before",
        "rows whose content the set had before",
    ),
    "ids_known": ("of these by the same id, too", "of these by the same id, too"),
    "ids_elsewhere": (
        "row whose id the set has with another content",
        "rows whose ids the set has with other content",
    ),
    "repeated": (
        "row with the same content as an earlier row of this file",
        "rows with the same content as earlier rows of this file",
    ),
    "repeated_ids": ("of these with its id, too", "of these with their ids, too"),
    "submissions": ("new arrival", "new arrivals"),
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
    "queued": ("row waits to be labelled", "rows wait to be labelled"),
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
