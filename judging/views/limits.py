"""What a certificate rests on and what it does not know, each in one sentence with its numbers."""

from collections.abc import Iterator

from django.db.models import Count, QuerySet

from judging.models import Calibration, CalibrationRow
from labeling.models import Candidate, CriteriaVersion, Label, Ruling
from labeling.services.settled import settled_by_split
from labeling.views.people import pairs_of

_FEWEST_SHARED = 5  # rows that two people must have in common before their agreement is worth a word


def rests_on_rows(calibration: Calibration) -> str:
    """From all rows of the set to those that count: the one place where the numbers meet."""
    version = calibration.criteria_version
    every = Candidate.objects.filter(criteria_set=version.criteria_set_id).count()
    settled = settled_by_split(version)
    certify, tune = settled["certify"], settled["tune"]
    asked = calibration.table.n + calibration.skipped + calibration.escalated
    return (
        f"{_rows(every)} in the set; people have settled {certify + tune} of them, {certify} to certify "
        f"judges and {tune} to tune them. The run asked about {asked} that certify, and "
        f"{calibration.table.n} of those got a verdict: kappa is of these."
    )


def limits_of(calibration: Calibration) -> list[str]:
    """What the reader should know that no figure here shows."""
    version = calibration.criteria_version
    rows = calibration.rows.filter(outcome__in=["pass", "fail"])
    return [*_labels(rows, calibration, version), _dependence(rows), _people(version)]


def _labels(
    rows: QuerySet[CalibrationRow], calibration: Calibration, version: CriteriaVersion
) -> Iterator[str]:
    ruled = Ruling.objects.current().filter(version=version).values("candidate")
    heard = Label.objects.current().filter(version=version, candidate__in=rows.values("candidate"))
    alone = heard.exclude(candidate__in=ruled).order_by().values("candidate").annotate(labels=Count("pk"))
    single = alone.filter(labels=1).count()
    if single:
        yield (
            f"On {single} of {_rows(calibration.table.n)} the truth is one person's label. "
            "Where that person is wrong the judge is counted wrong, or right, with them."
        )


def _dependence(rows: QuerySet[CalibrationRow]) -> str:
    requests = rows.aggregate(n=Count("candidate__request_hash", distinct=True))["n"]
    words = "one and the same request" if requests == 1 else f"{requests} different requests"
    return (
        f"The rows answer {words}. Each is counted as independent of the others; rows that share a request "
        "or a source are alike, and then there is more doubt than the interval says."
    )


def _people(version: CriteriaVersion) -> str:
    pair = next((pair for pair in pairs_of(version) if pair.kappa and pair.rows >= _FEWEST_SHARED), None)
    if pair is None or pair.kappa is None:
        return (
            "How far people agree with each other was not measured: two of them labelled hardly a row. "
            "So it is not known how well any judge could do here."
        )
    return (
        f"The two people with most rows in common agree with each other to kappa {pair.kappa.value:.3f} "
        f"(95% interval {pair.kappa.low:.2f} to {pair.kappa.high:.2f}) on {_rows(pair.rows)} that both saw. "
        "Rows on which people disagree are left out of the judge's table, so the judge may seem to do better."
    )


def _rows(number: int) -> str:
    return "1 row" if number == 1 else f"{number} rows"
