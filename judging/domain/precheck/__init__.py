"""Layer 1: deterministic checks before any model is asked.

A check may kill a candidate or say nothing; nothing here can express "pass".
"""

from judging.domain.precheck.case import Case, criteria_text_of
from judging.domain.precheck.layer1 import CHECKS, Check, PrecheckOutcome, run_precheck
from judging.domain.precheck.verdict import Kill, Layer1

__all__ = [
    "CHECKS",
    "Case",
    "Check",
    "Kill",
    "Layer1",
    "PrecheckOutcome",
    "criteria_text_of",
    "run_precheck",
]
