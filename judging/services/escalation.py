"""Splits that go to people: to the top of the labeling queue, where that does not choose what certifies."""

from django.db import transaction

from judging.models import Run, Verdict
from labeling.models import Candidate
from labeling.services.audit import record
from labeling.services.queue import bring_forward


@transaction.atomic
def queue_splits(*, run: Run) -> int:
    """Put the run's escalated rows that nobody has settled first in the queue, logged; how many moved up.

    Only rows for tuning: one of the `certify` split keeps its place, or judges would choose by their own
    disagreement what they are measured on. Safe to call again.
    """
    if run.kind == Run.Kind.ORDERING:
        return 0  # what is good in a reference set is known already
    version = run.criteria_version
    escalated = Verdict.objects.own().filter(run=run, outcome=Verdict.Outcome.ESCALATED, repeat=0)
    splits = dict(escalated.order_by().values_list("candidate_id", "candidate__split"))
    tune = sorted(pk for pk, split in splits.items() if split == Candidate.Split.TUNE)
    moved = bring_forward(version=version, candidate_ids=tune)
    if moved:
        record(
            actor=None,
            action="splits_queued",
            subject=str(run),
            criteria_set=version.criteria_set,
            run=run.pk,
            rows=moved,
            kept_in_place=len(splits) - len(tune),
        )
    return moved
