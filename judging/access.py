"""What the bearer of an API token may see."""

from django.db.models import QuerySet

from judging.models import ApiToken
from labeling.models import CriteriaSet


def token_sets(token: ApiToken) -> QuerySet[CriteriaSet]:
    """The criteria sets that `token` covers."""
    return CriteriaSet.objects.all() if token.every_criteria_set else token.criteria_sets.all()
