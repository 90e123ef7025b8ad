"""The tables of what people say."""

from labeling.models.candidates import Candidate, ImportBatch, Submission
from labeling.models.criteria import CriteriaSet, CriteriaVersion, Criterion, Membership
from labeling.models.draws import Draw, DrawnRow
from labeling.models.labels import Label, Mark, Ruling, Verdict
from labeling.models.queue import Draft, Skip, Slot
from labeling.models.records import AuditEvent, Exposure, TruthChange

__all__ = [
    "AuditEvent",
    "Candidate",
    "CriteriaSet",
    "CriteriaVersion",
    "Criterion",
    "Draft",
    "Draw",
    "DrawnRow",
    "Exposure",
    "ImportBatch",
    "Label",
    "Mark",
    "Membership",
    "Ruling",
    "Skip",
    "Slot",
    "Submission",
    "TruthChange",
    "Verdict",
]
