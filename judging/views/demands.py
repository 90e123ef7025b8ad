"""What stands beside kappa because of how rows were chosen, who labelled them, and when one may look."""

import math
from collections.abc import Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction

from judging.domain.evidence import share
from judging.domain.figures import many, percent, plain, rounded
from judging.models import Calibration, Certificate
from judging.views.limits import why_alone
from judging.views.lines import Line
from labeling.services.human_agreement import FEWEST_SHARED


def demand_lines(certificate: Certificate) -> Iterator[Line]:
    """The plan of looks, people with people, requests as units, and what rows weigh."""
    yield from _looks(certificate)
    yield _people(certificate.calibration)
    yield from _requests(certificate.calibration)
    yield from _weights(certificate)


def _looks(certificate: Certificate) -> Iterator[Line]:
    if certificate.rule != "bound":
        return
    looks = len(certificate.policy.get("looks", ()))
    evenly = " drawn evenly" if certificate.calibration.strata else ""
    following = f"next at {certificate.next_look} rows{evenly}" if certificate.next_look else "none left"
    between = "no look was taken" if certificate.boundary is None else "between looks"
    at = f"look {certificate.look} of {looks}" if certificate.look else between
    yield Line(
        "Planned looks",
        _reached(certificate),
        f"{at}, {following}",
        "Who tests after every batch of labels certifies by luck in the end. So this rule looks at planned "
        f"numbers of rows only, and demands more at each. {_bound(certificate)}",
    )


def _reached(certificate: Certificate) -> str:
    if certificate.z is None or certificate.boundary is None:
        return "no look yet"
    z = rounded(Fraction(certificate.z), 3, ROUND_FLOOR)
    return f"{z} of {rounded(Fraction(certificate.boundary), 3, ROUND_CEILING)}"


def _bound(certificate: Certificate) -> str:
    if certificate.bound_at_looks is None:
        return "The first figure will be how far kappa is above the bar, in its own errors."
    low = rounded(Fraction(certificate.bound_at_looks), 3, ROUND_FLOOR)
    return (
        "The first figure is how far kappa is above the bar in its own errors, the second what that must "
        f"reach. The lower bound that holds at all looks together is {low}; the bar is "
        f"{plain(certificate.bar)}."
    )


def _people(calibration: Calibration) -> Line:
    name = "People with each other"
    if calibration.human_kappa is None or calibration.human_rows < FEWEST_SHARED:
        return Line(
            name,
            "not measured",
            "",
            "Fewer than five rows were labelled blind by several people, or rows of (almost) one kind only. "
            "So it is not known how well any judge could do: ask for two labels on each row.",
        )
    ceiling = calibration.human_kappa
    reach = math.sqrt(max(0.0, ceiling))
    if calibration.people_alone:
        return Line(
            "People with themselves",
            f"{ceiling:.3f}",
            f"{many(calibration.human_rows, 'row')} that somebody labelled twice",
            f"People with each other are not known: {why_alone(calibration.human_details or {})}. So this is "
            "kappa of first answers with second ones of the same person. It is an upper limit of how far "
            "people would agree with each other: even a perfect judge would reach no more than about "
            f"{reach:.2f} against the labels of that person.",
        )
    return Line(
        name,
        f"{ceiling:.3f}",
        f"{many(calibration.human_rows, 'row')} that several people labelled blind",
        "Kappa among people, on the rows that several of them labelled. Against the labels of one person "
        f"even a perfect judge would reach no more than about {reach:.2f}.",
    )


def _requests(calibration: Calibration) -> Iterator[Line]:
    effect, error = calibration.design_effect, calibration.standard_error
    if effect is None or error is None or effect <= 1:
        return
    yield Line(
        "Standard error by requests",
        f"{error:.3f}",
        f"variance {effect:.1f} times as large",
        "Several outputs answer one request, and those are more alike than rows should be. Counted by "
        "requests kappa is less sure than the interval above says, which counts each row for itself. The "
        "rule of planned looks goes by this.",
    )


def _weights(certificate: Certificate) -> Iterator[Line]:
    measured = certificate.calibration.measured
    if not measured.weighted:
        return
    shares = sorted({each.probability for each in measured.strata})
    yield Line(
        "Rows that stand for others",
        f"{len(shares)} probabilities",
        f"from {shares[0]:.3g} to {shares[-1]:.3g}",
        "Not all rows were equally likely to be chosen. Each counts as often as it stands for others, in "
        "kappa and in its interval (by Fisher's transformation). The table counts plain rows; all in all "
        f"they count like {many(measured.counts_like(), 'row')} drawn evenly, and the policy goes by that.",
    )


def coverage_lines(calibration: Calibration) -> Iterator[Line]:
    """Coverage of the rows that people pass, and of those they fail."""
    table = calibration.table
    for verb, scored, skipped in (
        ("pass", table.n_pass, calibration.skipped_pass),
        ("fail", table.n_fail, calibration.skipped_fail),
    ):
        covered = share(scored, skipped)
        yield Line(
            f"Coverage of rows people {verb}",
            "–" if covered is None else percent(covered),
            f"{scored} of {scored + skipped} rows have a verdict",
            "Where one kind of row is left unjudged more often, kappa says nothing of those.",
        )
