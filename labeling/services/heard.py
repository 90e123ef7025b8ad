"""Which labels count where people are compared."""

from django.db.models import Exists, OuterRef

from labeling.models import CriteriaVersion, Draw, DrawnRow, Label
from labeling.models.labels import LabelQuerySet


def heard_blind(version: CriteriaVersion) -> LabelQuerySet:
    """Blind labels that stand, without those of rows that were drawn because jurors disagreed: people
    disagree on those more often too, and the figure would be of hard rows.
    """
    return Label.objects.current().filter(~drawn_as_hard("candidate"), version=version, blind=True).order_by()


def drawn_as_hard(candidate: str) -> Exists:
    """Whether the row that the field `candidate` names is of a draw where jurors disagreed."""
    hard = DrawnRow.objects.filter(candidate=OuterRef(candidate), draw__strategy=Draw.Strategy.DISAGREEMENT)
    return Exists(hard)
