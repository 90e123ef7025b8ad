"""How much a judge passes, raw and corrected by the errors it is known to make."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from judging.domain.pass_rate import PassRate, corrected_pass_rate
from judging.models import Calibration, Run
from judging.services.daily_rates import (
    Passed,
    live_verdicts,
    passed_by_generator,
    passed_in,
    passed_since,
    run_verdicts,
)
from judging.services.standing import Standing
from labeling.domain.agreement import Interval, Undefined, exact_interval

# Unequal draws favour some errors over others, and nothing here weighs them back.
_UNEQUAL = (
    "The golden rows were not equally likely to be chosen, so the errors counted on them are not those on "
    "live outputs."
)


@dataclass(frozen=True, slots=True)
class Rate:
    """What the judge passed, and what share people would pass; `corrected` is None where `why_not` says why.

    `raw_interval` is exact, 95 % (Clopper & Pearson 1934); None without a verdict.
    """

    counted: Passed
    raw_interval: Interval | None
    corrected: PassRate | None
    why_not: str

    @property
    def raw(self) -> float | None:
        return self.counted.passed / self.counted.n if self.counted.n else None


@dataclass(frozen=True, slots=True)
class Rates:
    """All verdicts of a span or a run, and those on the outputs of each generator model."""

    whole: Rate
    by_generator: dict[str, Rate]


def rate_of(counted: Passed, golden: Calibration | None) -> Rate:
    """The rate of these counts, corrected by the judge's errors on golden rows; None: never calibrated."""
    interval = exact_interval(counted.passed, counted.n) if counted.n else None
    if golden is None:
        return Rate(counted, interval, None, "The judge was never calibrated, so its errors are not known.")
    if golden.strata:
        return Rate(counted, interval, None, _UNEQUAL)
    try:
        return Rate(counted, interval, corrected_pass_rate(counted.passed, counted.n, golden.table), "")
    except Undefined as why:
        return Rate(counted, interval, None, str(why))


def rate_since(standing: Standing, days: int) -> Rate:
    """The rate over the live rows of the last so many days."""
    since = standing.now - timedelta(days=days)
    counted = passed_since(standing.judge_version.pk, standing.criteria_version.pk, since)
    return rate_of(counted, golden_of(standing))


def rates_since(standing: Standing, days: int) -> Rates:
    """The same with each generator's own."""
    since = standing.now - timedelta(days=days)
    verdicts = live_verdicts(standing.judge_version.pk, standing.criteria_version.pk, since)
    return _rates(rate_since(standing, days), passed_by_generator(verdicts), golden_of(standing))


def rates_of_run(run: Run, standing: Standing) -> Rates:
    """The rates of one run; `standing` is of its judge on its criteria."""
    golden = golden_of(standing)
    return _rates(rate_of(passed_in(run), golden), passed_by_generator(run_verdicts(run)), golden)


def _rates(whole: Rate, counted: dict[str, Passed], golden: Calibration | None) -> Rates:
    return Rates(whole, {generator: rate_of(each, golden) for generator, each in counted.items()})


def golden_of(standing: Standing) -> Calibration | None:
    """The golden rows by which rates are corrected; None where the judge was never calibrated."""
    return standing.certificate.calibration if standing.certificate else None


def resource(standing: Standing, days: int) -> dict[str, Any]:
    """The rates of the last so many days as the API answers them."""
    rates, golden = rates_since(standing, days), golden_of(standing)
    return {
        "judge": standing.judge_version.judge.slug,
        "judge_version": standing.judge_version.number,
        "criteria": standing.criteria_version.criteria_set.slug,
        "criteria_version": standing.criteria_version.number,
        "days": days,
        "golden_rows": golden.table.n if golden else 0,
        **_written(rates.whole),
        "generators": [
            {"generator_model": generator, **_written(each)} for generator, each in rates.by_generator.items()
        ],
    }


def _written(rate: Rate) -> dict[str, Any]:
    corrected = rate.corrected
    return {
        "n": rate.counted.n,
        "passed": rate.counted.passed,
        "skipped": rate.counted.skipped,
        "raw": rate.raw,
        "raw_interval": rate.raw_interval,
        "corrected": corrected.value if corrected else None,
        "corrected_interval": (corrected.low, corrected.high) if corrected else None,
        "why_not_corrected": rate.why_not or None,
    }
