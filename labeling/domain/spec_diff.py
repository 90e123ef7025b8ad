"""What is different between two criteria versions, criterion by criterion, as a person would tell it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

from labeling.domain.criteria import JUDGE, CriteriaSpec, CriterionSpec
from labeling.domain.rules import described
from labeling.domain.word_diff import Piece, word_diff

type Kind = Literal["added", "removed", "changed", "moved", "same"]


@dataclass(frozen=True, slots=True)
class FieldChange:
    """What one thing about a criterion was and is, in words; `pieces` word by word for its description."""

    name: str
    before: str
    after: str
    pieces: tuple[Piece, ...] = ()


@dataclass(frozen=True, slots=True)
class CriterionChange:
    """One criterion as it is, or was, and what became of it. `was`: its name before, where it has another."""

    kind: Kind
    criterion: CriterionSpec
    fields: tuple[FieldChange, ...] = ()
    was: str = ""


@dataclass(frozen=True, slots=True)
class SpecDiff:
    """The criteria in the order of the later version, those that are gone at the end."""

    threshold: FieldChange | None
    criteria: tuple[CriterionChange, ...]

    @property
    def is_empty(self) -> bool:
        """Whether both versions judge alike."""
        return self.threshold is None and all(each.kind == "same" for each in self.criteria)

    @property
    def is_wording_only(self) -> bool:
        """Whether nothing but descriptions, names and the order changed."""
        fields = {field.name for each in self.criteria for field in each.fields}
        kinds = {each.kind for each in self.criteria}
        return self.threshold is None and fields <= {"Description"} and not kinds & {"added", "removed"}


def compare(before: CriteriaSpec, after: CriteriaSpec) -> SpecDiff:
    """What has to be read to know how `after` differs from `before`.

    Criteria are known by their names; one that is new under another name and otherwise says just what one
    that is gone said was renamed.
    """
    threshold = None
    if Fraction(before.threshold) != Fraction(after.threshold):
        threshold = FieldChange("Pass threshold", _number(before.threshold), _number(after.threshold))
    return SpecDiff(threshold, tuple(_changes(before, after)))


def _changes(before: CriteriaSpec, after: CriteriaSpec) -> Iterator[CriterionChange]:
    old = {criterion.name: criterion for criterion in before.criteria}
    names = {criterion.name for criterion in after.criteria}
    gone = {name: each for name, each in old.items() if name not in names}
    moved = _moved(before, after)
    for criterion in after.criteria:
        was = old.get(criterion.name) or _renamed(gone, criterion)
        if was is None:
            yield CriterionChange("added", criterion)
            continue
        gone.pop(was.name, None)
        renamed = was.name if was.name != criterion.name else ""
        fields = tuple(_fields(was, criterion))
        kind: Kind = "changed" if fields or renamed else "moved" if criterion.name in moved else "same"
        yield CriterionChange(kind, criterion, fields, renamed)
    for criterion in gone.values():
        yield CriterionChange("removed", criterion)


def _renamed(gone: dict[str, CriterionSpec], criterion: CriterionSpec) -> CriterionSpec | None:
    alike = (each for each in gone.values() if replace(each, name=criterion.name) == criterion)
    return next(alike, None)


def _moved(before: CriteriaSpec, after: CriteriaSpec) -> set[str]:
    """Names in both versions that have another place among those in both."""
    old, new = ([each.name for each in spec.criteria] for spec in (before, after))
    kept_old, kept_new = [name for name in old if name in new], [name for name in new if name in old]
    return {name for name, there in zip(kept_new, kept_old, strict=True) if name != there}


def _fields(before: CriterionSpec, after: CriterionSpec) -> Iterator[FieldChange]:
    if before.description != after.description:
        pieces = tuple(word_diff(before.description, after.description))
        yield FieldChange("Description", before.description, after.description, pieces)
    for name, words in _WORDS.items():
        old, new = words(before), words(after)
        if old != new:
            yield FieldChange(name, old, new)


_WORDS: dict[str, Any] = {
    "Scale": lambda each: f"{each.scale_min} to {each.scale_max}",
    "Required": lambda each: "yes" if each.required else "no",
    "Minimum": lambda each: "none" if each.minimum is None else str(each.minimum),
    "Weight": lambda each: str(each.weight),
    "Scored by": lambda each: scored_by(each),
}


def scored_by(criterion: CriterionSpec) -> str:
    """Who or what scores a criterion, in words."""
    if criterion.strategy == JUDGE:
        return "a judge"
    return described(criterion.strategy, criterion.params)


def _number(value: object) -> str:
    return f"{float(Fraction(str(value))):g}"
