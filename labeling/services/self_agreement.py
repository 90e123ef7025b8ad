"""How far labelers agree with themselves: the second answers that were asked for unannounced."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from django.db.models import Count, F

from labeling.domain.agreement import Table, Undefined
from labeling.domain.agreement.people import can_differ, kappa_within
from labeling.domain.labelers import FEWEST, Compared, compared
from labeling.models import CriteriaVersion, Repeat
from labeling.services.heard import drawn_as_hard

_CELLS = [(first, second) for first in ("pass", "fail") for second in ("pass", "fail")]


@dataclass(frozen=True, slots=True)
class SelfAgreement:
    """First answers beside second ones: of all labelers together, and of each by their id.

    The kappa of `pooled` goes by what chance would do within each person, or the lenient and the strict would
    seem consistent together. Its rows are those of `telling` people, who did not give one verdict throughout.
    """

    pooled: Compared
    by_labeler: dict[int, Compared]
    telling: int


def self_agreement(version: CriteriaVersion) -> SelfAgreement:
    """By the repeats that were answered blind, of labels that were given blind; SQL counts them. Rows that
    were drawn because jurors disagreed are left out, as they are of people with each other.
    """
    cells: dict[int, dict[tuple[str, str], int]] = defaultdict(dict)
    counted = (
        Repeat.objects.answered()
        .filter(~drawn_as_hard("label__candidate"), blind=True, label__version=version, label__blind=True)
        .values(labeler=F("label__labeler"), first=F("label__verdict"), second=F("verdict"))
        .annotate(n=Count("pk"))
    )
    for row in counted:
        cells[row["labeler"]][row["first"], row["second"]] = row["n"]
    tables = {labeler: Table(*(of_one.get(cell, 0) for cell in _CELLS)) for labeler, of_one in cells.items()}
    return SelfAgreement(
        _pooled(tables.values()),
        {labeler: compared(table) for labeler, table in tables.items()},
        sum(can_differ(table) for table in tables.values()),
    )


def _pooled(tables: Iterable[Table]) -> Compared:
    """Each row of each labeler is one: who answered more repeats weighs more."""
    each = list(tables)
    whole = Table(*(sum(getattr(table, cell) for table in each) for cell in "abcd"))
    try:
        kappa = kappa_within(each)
    except Undefined:
        return replace(compared(whole), kappa=None)
    return replace(compared(whole), kappa=kappa if kappa.n >= FEWEST else None)
