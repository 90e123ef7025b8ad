"""Layer 1 over stored candidates: what the deterministic checks say of each."""

from collections.abc import Iterable, Iterator
from itertools import batched

from django.db.models import OuterRef, Subquery

from judging.domain.precheck import Case, PrecheckOutcome, run_precheck
from labeling.models import Candidate, Submission

_CHUNK = 200


def examine(stated: str, candidate_ids: Iterable[int]) -> Iterator[tuple[int, PrecheckOutcome]]:
    """Each candidate's id with what Layer 1 says of it. `stated`: the criteria as `criteria_text_of` does."""
    for candidate in _with_meta(candidate_ids):
        yield candidate.pk, run_precheck(_case(candidate, stated))


def _with_meta(candidate_ids: Iterable[int]) -> Iterator[Candidate]:
    arrivals = Submission.objects.filter(candidate=OuterRef("pk")).order_by("-pk")
    for chunk in batched(candidate_ids, _CHUNK):
        yield from Candidate.objects.filter(pk__in=chunk).annotate(
            submitted_meta=Subquery(arrivals.values("meta")[:1])
        )


def _case(candidate: Candidate, stated: str) -> Case:
    return Case(
        candidate=candidate.output,
        criteria="\n".join(filter(None, [candidate.criteria_text, stated])),
        request=candidate.request,
        grounding=candidate.grounding,
        meta=getattr(candidate, "submitted_meta", None) or {},
    )
