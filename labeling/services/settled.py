"""How many rows of a criteria version people have settled."""

from collections import Counter

from django.db.models import Count, Exists, F, OuterRef, Q

from labeling.models import Candidate, CriteriaVersion, Label, Ruling


def settled_by_split(version: CriteriaVersion) -> Counter[str]:
    """Settled rows by split: as many as `Candidate.objects.golden` finds, in a small part of its time.

    It sums over what people said instead of asking every row for its truth; a test holds the two together.
    """
    rulings = Ruling.objects.current().filter(version=version)
    decisive = rulings.filter(verdict__in=["pass", "fail"]).exclude(candidate__split="certify", blind=False)
    found = Counter(dict(decisive.order_by().values_list("candidate__split").annotate(rows=Count("pk"))))
    heard = Label.objects.current().filter(version=version, blind=True)
    unruled = heard.exclude(Exists(rulings.filter(candidate=OuterRef("candidate")))).order_by()
    sides = unruled.values("candidate").annotate(
        passes=Count("pk", filter=Q(verdict="pass")), all=Count("pk")
    )
    for split in Candidate.Split.values:
        found[split] += sides.filter(candidate__split=split).exclude(all=2 * F("passes")).count()
    return found
