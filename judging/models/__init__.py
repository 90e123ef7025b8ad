"""The tables of what machines say, and whether to believe them."""

from judging.models.certificates import Calibration, CalibrationRow, Certificate
from judging.models.judges import Judge, JudgeVersion, PanelMember
from judging.models.limits import ProviderLimit, ProviderShare, TakenFormat
from judging.models.runs import CriterionScore, Run, SkippedAttempt, Verdict
from judging.models.schedules import Schedule
from judging.models.tokens import ApiToken
from judging.models.trials import Trial
from judging.models.workers import WorkerSeen

__all__ = [
    "ApiToken",
    "Calibration",
    "CalibrationRow",
    "Certificate",
    "CriterionScore",
    "Judge",
    "JudgeVersion",
    "PanelMember",
    "ProviderLimit",
    "ProviderShare",
    "Run",
    "Schedule",
    "SkippedAttempt",
    "TakenFormat",
    "Trial",
    "Verdict",
    "WorkerSeen",
]
