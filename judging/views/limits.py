"""What a certificate rests on and what it does not know, each in one sentence with its numbers."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.db.models import Count, QuerySet

from judging.domain.figures import counted
from judging.models import Calibration, CalibrationRow
from labeling.domain.agreement.people import no_interval
from labeling.models import Candidate, CriteriaVersion, Label, Ruling
from labeling.services.human_agreement import FEWEST_SHARED
from labeling.services.settled import settled_by_split


def rests_on_rows(calibration: Calibration) -> str:
    """From all rows of the set to those that count: the one place where the numbers meet."""
    version = calibration.criteria_version
    every = Candidate.objects.filter(criteria_set=version.criteria_set_id).for_people().count()
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
    beside = [*_weights(calibration), *_escalated(calibration), *_upper_end(calibration)]
    return [*beside, *_labels(rows, calibration, version), _dependence(rows), _people(calibration)]


def _weights(calibration: Calibration) -> Iterator[str]:
    if calibration.strata:
        yield (
            "The rows were not all equally likely to be chosen. Kappa and its interval count each as often "
            "as it stands for others; the table, the shares and what they mean count plain rows. All in all "
            f"these are {counted(calibration.table.n, calibration.measured.counts_like())}, and the policy's "
            "numbers of rows are held against that. How far people agree with each other is not weighed so: "
            "it counts plain rows."
        )


def _escalated(calibration: Calibration) -> Iterator[str]:
    """Where it is more than one row in ten: a judge that leaves the hard rows to people is told as good."""
    asked = calibration.table.n + calibration.skipped + calibration.escalated
    if calibration.escalated * 10 > asked:
        yield (
            f"The panel split on {calibration.escalated} of {_rows(asked)} and left those to people. They "
            "are in no figure here: what it decides alone are the easier rows."
        )


def _upper_end(calibration: Calibration) -> Iterator[str]:
    """The score interval ends at the largest kappa that the observed pass rates allow."""
    table = calibration.table
    if not calibration.strata and table.n_pass != table.a + table.c:
        yield (
            "The interval's upper end holds at these pass rates: with further rows they may come closer to "
            "each other, and kappa may then be higher than that end. Its lower bound is not touched by that."
        )


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
        f"The rows answer {words}. In the interval each is counted as independent of the others; rows that "
        "share a request or a source are alike, and then there is more doubt than it says."
    )


def _people(calibration: Calibration) -> str:
    """As it was counted with the calibration: it takes seconds on large sets."""
    kappa, rows = calibration.human_kappa, calibration.human_rows
    if kappa is None or rows < FEWEST_SHARED:
        return (
            "How far people agree with each other is not known: fewer than five rows have labels of two of "
            "them, or those say (almost) all the same. So it is not known how well any judge could do here."
        )
    details = calibration.human_details or {}
    ends = details.get("interval")
    doubt = f" (95% interval {ends[0]:.2f} to {ends[1]:.2f})" if ends else f" ({no_interval(rows)})"
    if calibration.people_alone:
        return _alone(details, f"kappa {kappa:.3f}{doubt} on {_rows(rows)}")
    people = f"{details['labelers']} people" if details else "People"
    method = f" ({details['method']})" if details else ""
    return (
        f"{people} agree with each other to kappa {kappa:.3f}{doubt} on {_rows(rows)} that several of them "
        f"saw{method}. {_left_out(details.get('left_out', 0))}"
        "Rows on which people disagree are left out of the judge's table, so the judge may seem to do better."
    )


def _alone(details: Mapping[str, Any], figures: str) -> str:
    labelers = details["labelers"]
    who = "One person, asked again, agrees with themselves" if labelers == 1 else "People, asked again, agree"
    themselves = "" if labelers == 1 else " each with themselves"
    return (
        f"{who}{themselves} to {figures} (Cohen's kappa). How far they would agree with somebody else is "
        f"not known: {why_alone(details)}. This is an upper limit of it: a judge that follows one person "
        "follows their mistakes too."
    )


def why_alone(details: Mapping[str, Any]) -> str:
    """Why people with themselves stand in for people with each other, as a part of a sentence."""
    shared = details.get("shared")
    if shared is None:
        return "too few rows have labels of two people, or those say too much the same"
    if shared < FEWEST_SHARED:
        return "hardly a row has labels of two people"
    return f"{_rows(shared)} have labels of two people, and say too much the same to tell"


def _left_out(labelers: int) -> str:
    """Those who were asked about hardly any rows but those in dispute."""
    if not labelers:
        return ""
    people = (
        "1 person who saw almost only rows in dispute is"
        if labelers == 1
        else (f"{labelers} people who saw almost only rows in dispute are")
    )
    return f"{people} left out of that. "


def _rows(number: int) -> str:
    return "1 row" if number == 1 else f"{number} rows"
