"""How far labelers agree with themselves: the second answers that were asked for unannounced."""

from collections import defaultdict
from dataclasses import dataclass

from django.db.models import Count, F

from labeling.domain.agreement import Table
from labeling.domain.labelers import Compared, compared
from labeling.models import CriteriaVersion, Repeat

_CELLS = [(first, second) for first in ("pass", "fail") for second in ("pass", "fail")]


@dataclass(frozen=True, slots=True)
class SelfAgreement:
    """First answers beside second ones: of all labelers together, and of each by their id."""

    pooled: Compared
    by_labeler: dict[int, Compared]


def self_agreement(version: CriteriaVersion) -> SelfAgreement:
    """By the repeats that were answered blind, of labels that were given blind; SQL counts them.

    In `pooled` each row of each labeler is one: who answered more repeats weighs more.
    """
    cells: dict[int, dict[tuple[str, str], int]] = defaultdict(dict)
    counted = (
        Repeat.objects.answered()
        .filter(blind=True, label__version=version, label__blind=True)
        .values(labeler=F("label__labeler"), first=F("label__verdict"), second=F("verdict"))
        .annotate(n=Count("pk"))
    )
    for row in counted:
        cells[row["labeler"]][row["first"], row["second"]] = row["n"]
    tables = {labeler: [found.get(cell, 0) for cell in _CELLS] for labeler, found in cells.items()}
    pooled = [sum(of_cell) for of_cell in zip(*tables.values(), strict=True)] or [0, 0, 0, 0]
    return SelfAgreement(
        compared(Table(*pooled)), {labeler: compared(Table(*each)) for labeler, each in tables.items()}
    )
