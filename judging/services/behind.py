"""What the counts behind a certificate say beside it, written down with it: a reader needs no count then."""

from typing import Any

from judging.domain.evidence import share
from judging.domain.measured import defined
from judging.models import Certificate


def behind(certificate: Certificate) -> dict[str, Any]:
    """As the API tells it. A number that does not exist is None."""
    calibration = certificate.calibration
    table, measured = calibration.table, calibration.measured
    shares = {
        "coverage_pass": share(table.n_pass, calibration.skipped_pass),
        "coverage_fail": share(table.n_fail, calibration.skipped_fail),
    }
    return {name: None if value is None else float(value) for name, value in shares.items()} | {
        "n_effective": measured.counts_like() if measured.weighted else None,
        "escalated": calibration.escalated,
        "standard_error": calibration.standard_error,
        "design_effect": calibration.design_effect,
        "weighted": measured.weighted,
        "human_kappa": calibration.human_kappa,
        "human_method": (calibration.human_details or {}).get("method"),
        "labels_needed": labels_needed(certificate),
    }


def labels_needed(certificate: Certificate) -> int | None:
    """Rows in all that would bring the lower bound to the bar, no fewer than the policy asks for; None where
    it is there already, and where no number would help.
    """
    measured, bound = certificate.calibration.measured, certificate.lower_bound
    if bound is not None and bound >= certificate.bar:
        return None
    return defined(lambda: measured.labels_needed(certificate.bar, certificate.policy["min_rows"]))
