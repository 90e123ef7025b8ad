"""The neutral row that every format reads into and writes from, and how a row or a file is refused."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, NamedTuple

from labeling.domain.verdicts import HumanVerdict

_LONGEST_FIELD = 200


class FileProblem(ValueError):
    """The file as a whole cannot be read; the text says what to do."""


class RowProblem(ValueError):
    """One row cannot be taken: the field at fault and one sentence."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(reason)
        # It may be a name of the file's, and must be fit for a report whatever it holds.
        self.field = field[:_LONGEST_FIELD] if field.isprintable() else ascii(field)[1:-1][:_LONGEST_FIELD]
        self.reason = reason


class Refused(NamedTuple):
    """A row that was not taken. `line` is the physical line; `element` counts the items of a JSON array."""

    line: int
    field: str
    reason: str
    element: int | None = None

    def as_json(self) -> dict[str, Any]:
        """As commands, pages and the import's record show it."""
        known: dict[str, Any] = {"line": self.line, "field": self.field, "reason": self.reason}
        return known if self.element is None else known | {"element": self.element}


@dataclass(frozen=True, slots=True)
class Opinion:
    """One person's verdict on the row; `annotator` None where the file does not say whose it is."""

    verdict: HumanVerdict
    annotator: str | None = None
    comment: str = ""
    blind: bool = True
    scores: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Decision:
    """The row's final verdict, of no one person; None where it is declared unresolved."""

    verdict: HumanVerdict | None
    reason: str = ""
    blind: bool = True


# One criterion as far as a row states it: `CriterionSpec` fields by name, always with name and description.
type StatedCriterion = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Row:
    """One candidate as a file has it, with what people said of it."""

    line: int
    output: str
    request: str = ""
    grounding: str = ""
    criteria_text: str = ""
    criteria: tuple[StatedCriterion, ...] = ()
    threshold: Decimal | None = None
    external_id: str = ""
    split: str = ""
    probability: float | None = None  # of being chosen, above 0 and at most 1; None: the file says nothing
    generator_model: str = ""
    generator_family: str = ""
    truncated: bool = False
    meta: Mapping[str, Any] = field(default_factory=dict)
    opinions: tuple[Opinion, ...] = ()
    decision: Decision | None = None
    element: int | None = None
    judge_verdicts: int = 0  # verdicts of judges in the file, which an import of people's labels leaves out
    silent_annotators: int = 0  # annotators of the row who gave no verdict
    arrives: bool = True  # False: a further person's word on a row that the file has brought already

    def refuse(self, field: str, reason: str) -> Refused:
        """This row, refused."""
        return Refused(self.line, field, reason, self.element)
