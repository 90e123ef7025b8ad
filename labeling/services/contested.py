"""The rows on which people disagree, by what was said and without asking every row for its truth."""

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from labeling.models import Candidate, CriteriaVersion, Label, Ruling


def contested(version: CriteriaVersion) -> QuerySet[Candidate]:
    """Those whose truth under `version` is unresolved, as `with_truth` has it; a test holds the two together.

    Labels stand one against one and nobody ruled, or the ruling settles nothing.
    """
    heard = Label.objects.current().filter(version=version, blind=True).order_by().values("candidate")
    sides = heard.annotate(passes=Count("pk", filter=Q(verdict="pass")), labels=Count("pk"))
    tied = Q(pk__in=sides.filter(labels=2 * F("passes")).values("candidate"))
    rulings = Ruling.objects.current().filter(version=version)
    without_effect = Q(verdict=Ruling.Decision.UNRESOLVED) | Q(blind=False, candidate__split="certify")
    unsettling = Q(pk__in=rulings.filter(without_effect).values("candidate"))
    ruled = Exists(rulings.filter(candidate=OuterRef("pk")))
    return Candidate.objects.filter(unsettling | (tied & ~ruled), criteria_set=version.criteria_set_id)
