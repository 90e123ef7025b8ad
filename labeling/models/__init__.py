"""The tables of what people say."""

from labeling.models.candidates import Candidate, ImportBatch, Submission
from labeling.models.criteria import CriteriaSet, CriteriaVersion, Criterion, Membership
from labeling.models.draws import Draw, DrawnRow
from labeling.models.guidelines import GuidelineExample, Guidelines
from labeling.models.import_jobs import ImportJob
from labeling.models.labels import Label, Mark, Repeat, Ruling, Verdict
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
    "GuidelineExample",
    "Guidelines",
    "ImportBatch",
    "ImportJob",
    "Label",
    "Mark",
    "Membership",
    "Repeat",
    "Ruling",
    "Skip",
    "Slot",
    "Submission",
    "TruthChange",
    "Verdict",
]
