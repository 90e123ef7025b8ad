"""The tables of what machines say, and whether to believe them."""

from judging.models.answering import AnsweredAs
from judging.models.calibrations import Calibration, CalibrationRow
from judging.models.certificates import Certificate
from judging.models.consumers import Drill, GateReader
from judging.models.judges import Judge, JudgeVersion, PanelMember
from judging.models.limits import ProviderLimit, ProviderShare, TakenFormat
from judging.models.ordering import OrderingResult, ReferenceCandidate, ReferenceSet
from judging.models.recordings import RecordedVerdict, Recording
from judging.models.runs import CriterionScore, Run, SkippedAttempt, Verdict
from judging.models.schedules import Schedule
from judging.models.signing import SigningKey
from judging.models.tokens import ApiToken
from judging.models.trials import Trial
from judging.models.webhooks import Delivery, DeliveryTry, Webhook
from judging.models.workers import WorkerSeen

__all__ = [
    "AnsweredAs",
    "ApiToken",
    "Calibration",
    "CalibrationRow",
    "Certificate",
    "CriterionScore",
    "Delivery",
    "DeliveryTry",
    "Drill",
    "GateReader",
    "Judge",
    "JudgeVersion",
    "OrderingResult",
    "PanelMember",
    "ProviderLimit",
    "ProviderShare",
    "RecordedVerdict",
    "Recording",
    "ReferenceCandidate",
    "ReferenceSet",
    "Run",
    "Schedule",
    "SigningKey",
    "SkippedAttempt",
    "TakenFormat",
    "Trial",
    "Verdict",
    "Webhook",
    "WorkerSeen",
]
