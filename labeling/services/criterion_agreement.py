"""How far people agree with each other on each criterion, by the marks that they give."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import CharField, Count, F, OuterRef, StringAgg, Subquery, Value
from django.db.models.functions import Cast

from labeling.domain.agreement import Interval, Table, Undefined
from labeling.domain.agreement.alpha import Kind, alpha_of, squared, unlike
from labeling.domain.agreement.graded import weighted_kappa
from labeling.domain.agreement.people import kappa_of_people, no_interval, of_enough
from labeling.models import Candidate, CriteriaVersion, Criterion, Mark
from labeling.services.heard import drawn_as_hard
from labeling.services.human_agreement import FEWEST_SHARED, labelers_heard, shared_rows

type Cells = Mapping[tuple[int, int], int]
_CURRENT: dict[str, Any] = {"blind": True, "superseded_at": None, "withdrawn_at": None}


@dataclass(frozen=True, slots=True)
class CriterionAgreement:
    """People's marks on one criterion, over `rows` that several marked.

    `without`: rows that several labelled and fewer than two marked on it. `value` is None where it is not
    known, and `problem` then says why; `interval` is None for fewer than 20 rows, or if they are too alike.
    """

    criterion: Criterion
    rows: int
    without: int
    value: float | None
    interval: Interval | None
    method: str
    problem: str

    @property
    def graded(self) -> bool:
        """Whether the scale has more than two steps."""
        return self.criterion.scale_max - self.criterion.scale_min > 1

    @property
    def no_interval(self) -> str:
        """Why there is none."""
        return no_interval(self.rows)


def by_criterion(version: CriteriaVersion) -> list[CriterionAgreement]:
    """Each criterion of `version` in its order, over the blind labels of those whom `human_agreement` hears.

    Two people: Cohen's kappa, on a scale of more steps weighted by squares. More people: Krippendorff's
    alpha, on a scale of more steps by squares. A statement for each criterion; SQL counts.
    """
    labelers, left_out = labelers_heard(version)
    rows = shared_rows(version, left_out)
    return [_of(criterion, labelers, rows) for criterion in version.criteria.all()]


def _of(criterion: Criterion, labelers: list[int], shared: int) -> CriterionAgreement:
    of_two = len(labelers) == 2
    cells = _cells(criterion, labelers) if of_two else {}
    kinds = {} if of_two or not labelers else dict(_kinds(criterion, labelers))
    rows = sum(cells.values()) + sum(kinds.values())
    graded = criterion.scale_max - criterion.scale_min > 1
    found: tuple[float | None, Interval | None, str] = (None, None, "")
    problem = ""
    try:
        if rows < FEWEST_SHARED:
            problem = f"{rows} rows are too few to tell." if rows else "No row has marks of two people."
        elif of_two:
            found = _weighted(cells) if graded else _plain(cells, criterion)
        else:
            found = _of_many(kinds, criterion, graded)
    except Undefined:
        problem = "Not to be told: one and the same mark throughout, or but for a row or two."
    return CriterionAgreement(criterion, rows, max(0, shared - rows), *found, problem)


def _weighted(cells: Cells) -> tuple[float, Interval | None, str]:
    if min(len({cell[side] for cell, n in cells.items() if n}) for side in (0, 1)) < 2:
        raise Undefined("One of the two gave one mark throughout.")
    found = weighted_kappa({(float(x), float(y)): n for (x, y), n in cells.items()})
    return found.value, of_enough(found.interval, found.n), "quadratic-weighted kappa"


def _plain(cells: Cells, criterion: Criterion) -> tuple[float, Interval | None, str]:
    low, high = criterion.scale_min, criterion.scale_max
    table = Table(*(cells.get(cell, 0) for cell in ((high, high), (high, low), (low, high), (low, low))))
    found = kappa_of_people(table)
    return found.value, found.interval, "Cohen's kappa"


def _of_many(
    kinds: Mapping[Kind, int], criterion: Criterion, graded: bool
) -> tuple[float, Interval | None, str]:
    found = alpha_of(kinds, seed=criterion.pk, difference=squared if graded else unlike)
    if not found.is_telling:
        raise Undefined("Hardly a row has another mark than all the rest.")
    method = "Krippendorff's alpha" + (", squares" if graded else "")
    return found.value, of_enough(found.interval, found.n), method


def _cells(criterion: Criterion, labelers: list[int]) -> Cells:
    """Rows by the two people's scores."""
    # One filter: a further condition on the other's labels would join them once more.
    one, other = "label__{}", "label__candidate__labels__{}"
    conditions = {side.format(name): value for side in (one, other) for name, value in _CURRENT.items()}
    conditions |= {other.format("version"): criterion.version_id, other.format("marks__criterion"): criterion}
    counted = (
        Mark.objects.filter(
            ~drawn_as_hard("label__candidate"),
            **conditions,
            criterion=criterion,
            label__labeler=min(labelers),
            label__candidate__labels__labeler=max(labelers),
        )
        .values("score", other=F("label__candidate__labels__marks__score"))
        .annotate(n=Count("pk"))
    )
    return {(row["score"], row["other"]): row["n"] for row in counted}


def _kinds(criterion: Criterion, labelers: list[int]) -> Iterator[tuple[Kind, int]]:
    """Rows by the scores that they have: how many rows have so many of each."""
    marks = Mark.objects.filter(
        ~drawn_as_hard("label__candidate"),
        criterion=criterion,
        label__candidate=OuterRef("pk"),
        label__labeler__in=labelers,
        **{f"label__{name}": value for name, value in _CURRENT.items()},
    )
    scores = marks.values("label__candidate").annotate(
        scores=StringAgg(Cast("score", CharField()), Value(" "))
    )
    rows = Candidate.objects.filter(criteria_set=criterion.version.criteria_set_id).annotate(
        scores=Subquery(scores.values("scores"))
    )
    found = Counter[Kind]()
    for words, n in rows.order_by().values_list("scores").annotate(n=Count("pk")):
        kind = Counter(int(word) for word in (words or "").split())
        if kind.total() > 1:
            found[tuple(sorted(kind.items()))] += n
    yield from found.items()
