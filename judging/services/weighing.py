"""What the rows of a calibration weigh and how alike they are: sums that SQL makes over rows and requests."""

import math
from collections import Counter
from collections.abc import Collection, Mapping
from datetime import datetime
from itertools import batched
from typing import Any, NamedTuple

from django.db.models import Case, CharField, Count, F, FloatField, Min, QuerySet, Sum, Value, When
from django.db.models.functions import Cast

from judging.models import Calibration, CalibrationRow, Run
from judging.services.waves import beside
from labeling.domain.agreement import Undefined, kappa_se
from labeling.domain.agreement.drawn import CELLS, Cell, DrawnKappa, Stratum, drawn_kappa
from labeling.models import DrawnRow

_WORDS = {True: "pass", False: "fail"}
_NAMES = dict(zip(CELLS, "abcd", strict=True))
# Below this a standard error is rounding, not spread.
_NO_SPREAD = 1e-9
_FEW = 500

type Drawn = dict[int, tuple[float, str]]  # candidate id → its probability, and its part of the frame


class _Chance(NamedTuple):
    """How a row was drawn; `stratum` is "" where a file gave the probability."""

    probability: float
    stratum: str
    draw: int


def drawn_unequally(criteria_set_id: int, settled: Collection[int]) -> Drawn:
    """Those of the rows that were chosen with unequal probabilities: how likely each was to be one of them.

    `settled`: the rows of one count. Of a stratum p is the share of its rows that are counted, not of those
    drawn: so rows that wait for people change no weight, and settled ones stand for those that are tied. Of
    a stratum without a settled row nothing is known, and it counts for nothing. Where a file gave p, it is p.
    """
    found = _chances(criteria_set_id, settled)
    return _of_settled({pk: each for pk, each in found.items() if pk in settled}, beside(criteria_set_id))


def drawn_as_counted(run: Run, candidates: Collection[int], *, until: datetime) -> Drawn:
    """The same for rows that come into a count of `run` again: each as it was counted there before, else as
    the other rows of its stratum were, by the draws made `until` then where there is one.
    """
    counted = CalibrationRow.objects.filter(calibration__run=run)
    known: Drawn = {}
    for chunk in batched(candidates, _FEW):
        rows = counted.filter(candidate__in=chunk).values_list("candidate_id", "probability", "stratum")
        known |= {candidate: (probability, stratum) for candidate, probability, stratum in rows}
    found = _chances(run.criteria_version.criteria_set_id, candidates, until=until)
    new = {pk: each for pk, each in found.items() if pk in candidates and pk not in known}
    names = {each.stratum for each in new.values() if each.stratum}
    of_stratum = counted.filter(stratum__in=names).order_by().values_list("stratum")
    stand = dict(of_stratum.annotate(least=Min("probability")))
    weighed = _of_settled(new, Counter())
    return known | {pk: (stand.get(name, chance), name) for pk, (chance, name) in weighed.items()}


def _chances(
    criteria_set_id: int, candidates: Collection[int], *, until: datetime | None = None
) -> dict[int, _Chance]:
    """How the candidates were drawn, perhaps others too; the newest draw counts.

    With `until` the newest of that moment, where there was one.
    """
    rows = DrawnRow.objects.weighing().filter(draw__version__criteria_set=criteria_set_id)
    if len(candidates) <= _FEW:  # a correction is about few of many rows
        rows = rows.filter(candidate__in=candidates)
    if until is None:
        return _newest(rows)
    later = rows.filter(draw__created_at__gt=until).order_by("-pk")
    return _newest(later) | _newest(rows.filter(draw__created_at__lte=until))


def _newest(rows: QuerySet[DrawnRow]) -> dict[int, _Chance]:
    found: QuerySet[DrawnRow, Any] = rows.values_list("candidate_id", "probability", "stratum", "draw_id")
    return {candidate: _Chance(*each) for candidate, *each in found}


def _of_settled(found: Mapping[int, _Chance], apart: Mapping[str, int]) -> Drawn:
    """What each of these settled rows weighs by: those of a stratum stand for the whole of it, but for so
    many rows that were labelled beside the draw.
    """
    settled = Counter((each.draw, each.stratum) for each in found.values() if each.stratum)
    sizes = DrawnRow.objects.stratum_sizes({draw for draw, _ in settled})
    chances = {
        (draw, name): rows / max(rows, sizes[draw, name] - apart[name])
        for (draw, name), rows in settled.items()
    }
    return {
        pk: (chances[draw, name] if name else probability, name)
        for pk, (probability, name, draw) in found.items()
    }


def weigh(calibration: Calibration) -> None:
    """Set `strata`, `standard_error` and `design_effect` from the rows as they are counted; saves nothing."""
    calibration.strata = _strata(calibration)
    calibration.standard_error = calibration.design_effect = None
    try:
        found, alone = _kappa(calibration)
    except Undefined:
        return
    together, requests = _over_requests(calibration, found)
    calibration.standard_error = max(alone, together)
    calibration.design_effect = _design_effect(alone, together, requests)


def _kappa(calibration: Calibration) -> tuple[DrawnKappa, float]:
    """Kappa with its influences, and its standard error with rows as the unit."""
    if strata := calibration.measured.strata:
        found = drawn_kappa(strata)
        return found, found.se
    return drawn_kappa([Stratum(1.0, calibration.table)]), kappa_se(calibration.table)


def _design_effect(alone: float, together: float, requests: int) -> float | None:
    """How much larger the variance is with requests as the unit.

    None where nothing shows how alike answers to one request are: all rows answer the same, or none deviates.
    """
    if requests < 2 or alone < _NO_SPREAD:
        return None
    return (together / alone) ** 2


def _strata(calibration: Calibration) -> dict[str, dict[str, float]] | None:
    """Counts by probability and part of the frame; None where all rows have one probability."""
    found: dict[str, dict[str, float]] = {}
    groups = calibration.rows.filter(outcome__in=["pass", "fail", "skipped"]).order_by()
    counted = groups.values_list("stratum", "probability", "truth", "outcome").annotate(rows=Count("pk"))
    for stratum, probability, truth, outcome, rows in counted:
        key = f"{stratum} {probability!r}".strip()
        of_stratum = found.setdefault(key, {"probability": probability} | dict.fromkeys(_COUNTS, 0))
        of_stratum[_count_name(truth, outcome)] += rows
    return found if len({each["probability"] for each in found.values()}) > 1 else None


_COUNTS = (*"abcd", "skipped_pass", "skipped_fail")


def _count_name(truth: str, outcome: str) -> str:
    return f"skipped_{truth}" if outcome == "skipped" else _NAMES[Cell(truth == "pass", outcome == "pass")]


def _over_requests(calibration: Calibration, found: DrawnKappa) -> tuple[float, int]:
    """Kappa's standard error with requests as the unit, and how many requests there are.

    SQL sums within requests, then over them.
    """
    rows = calibration.rows.filter(outcome__in=["pass", "fail"]).order_by()
    # Rows without a request share none.
    own = When(candidate__request="", then=Cast("candidate_id", CharField()))
    by_request = rows.annotate(unit=Case(own, default=F("candidate__request_hash"))).values("unit")
    sums: dict[str, Any] = by_request.annotate(
        moved=Sum(_moves(found)), weight=Sum(1.0 / F("probability"))
    ).aggregate(
        squares=Sum(F("moved") * F("moved")),
        requests=Count("unit"),
        whole=Sum("weight"),
    )
    error = math.sqrt(max(0.0, sums["squares"])) / sums["whole"]
    return error, sums["requests"]


def _moves(found: DrawnKappa) -> Any:
    """What a row adds to kappa, by its cell and its weight."""
    whens = [
        When(truth=_WORDS[cell.human], outcome=_WORDS[cell.judge], then=Value(found.influences[cell]))
        for cell in CELLS
    ]
    return Case(*whens, default=Value(0.0), output_field=FloatField()) / F("probability")
