"""Agreement of a judge with people on one 2×2 table, and of two people with each other.

Importing this package loads no numeric library; scipy is imported inside the few functions that need it.
"""

from labeling.domain.agreement.classes import (
    agreement_rate,
    bias_index,
    exact_interval,
    mcc,
    mcnemar_exact,
    prevalence_index,
    recall,
    worst_case,
)
from labeling.domain.agreement.cohen import band, kappa, kappa_exact, kappa_max, kappa_se, meets_bar
from labeling.domain.agreement.gwet import ac1, ac1_se, pabak
from labeling.domain.agreement.score import (
    estimate_kappa,
    labels_needed,
    score_interval,
    score_lower_at,
    score_lower_bound,
    score_z,
)
from labeling.domain.agreement.tables import Estimate, Interval, Margins, Table, Undefined

__all__ = [
    "Estimate",
    "Interval",
    "Margins",
    "Table",
    "Undefined",
    "ac1",
    "ac1_se",
    "agreement_rate",
    "band",
    "bias_index",
    "estimate_kappa",
    "exact_interval",
    "kappa",
    "kappa_exact",
    "kappa_max",
    "kappa_se",
    "labels_needed",
    "mcc",
    "mcnemar_exact",
    "meets_bar",
    "pabak",
    "prevalence_index",
    "recall",
    "score_interval",
    "score_lower_at",
    "score_lower_bound",
    "score_z",
    "worst_case",
]
