"""Which rows two people label although the criteria set wants one label per row: to see how far people agree.

The row's own content decides under a seed of the set, so neither a label nor a judge can; it is the same on
every machine. At least `double_rows` rows of a version's queue are labelled twice, however small the share;
with a share of 0 none are.
"""

from collections.abc import Iterable

from django.db.models import Exists, OuterRef

from labeling.domain.sampling import first_drawn, is_drawn
from labeling.models import Candidate, CriteriaSet, CriteriaVersion, Ruling, Slot
from labeling.models.candidates import CandidateQuerySet

type Rows = Iterable[tuple[int, str]]  # candidate ids with their content hashes


def doubles(criteria_set: CriteriaSet) -> bool:
    """Whether this set has some rows labelled by two people and the rest by one."""
    return criteria_set.labels_per_row == 1 and criteria_set.double_share > 0


def by_share(criteria_set: CriteriaSet, rows: Rows) -> set[int]:
    """Those of the rows that belong to the share of all rows that two people label."""
    share, seed = float(criteria_set.double_share), _seed(criteria_set)
    return {pk for pk, row_hash in rows if is_drawn(seed, row_hash, share)}


def first_of(criteria_set: CriteriaSet, rows: Rows, most: int) -> list[int]:
    """The `most` rows that would be the next to be labelled twice were the share larger."""
    return first_drawn(_seed(criteria_set), rows, most)


def missing(version: CriteriaVersion) -> list[int]:
    """The rows of the queue that need a second place for as many to have one as the set wants at least.

    Asked after each portion of rows, so all rows that came before have one where any is missing: what is read
    here is the last portion, however long the queue is.
    """
    least = version.criteria_set.double_rows
    there = Slot.objects.filter(version=version, number=2).order_by()[:least].count()
    if there >= least:
        return []
    second = Slot.objects.filter(candidate=OuterRef("pk"), version=version, number=2)
    rows = in_queue(version).filter(~Exists(second)).values_list("pk", "content_hash")
    return first_of(version.criteria_set, rows, least - there)


def in_queue(version: CriteriaVersion) -> CandidateQuerySet:
    """The rows that have a place in the queue of `version`, filled or not, and are not for the leads."""
    mine = {"candidate": OuterRef("pk"), "version": version}
    rows = CandidateQuerySet(Candidate).filter(criteria_set=version.criteria_set_id).order_by("pk")
    return rows.filter(
        Exists(Slot.objects.filter(**mine)),
        ~Exists(Slot.objects.filter(**mine, state=Slot.State.LEAD)),
        ~Exists(Ruling.objects.current().filter(**mine)),
    )


def _seed(criteria_set: CriteriaSet) -> str:
    return f"double:{criteria_set.slug}"
