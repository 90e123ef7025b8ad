"""Drawing rows that people check: with a stored probability, by nothing that a judge or a person has said."""

from collections.abc import Iterable
from itertools import batched

from django.db import transaction

from labeling.access import AnyUser
from labeling.domain.sampling import audit_seed, first_drawn, is_drawn
from labeling.models import CriteriaVersion, Draw, DrawnRow
from labeling.services.audit import record
from labeling.services.queue import bring_forward

_CHUNK = 500

type Rows = Iterable[tuple[int, str]]  # candidate ids with their content hashes


@transaction.atomic
def draw_audit(*, version: CriteriaVersion, judge: str, frame: Rows) -> Draw | None:
    """Draw the audit share of the criteria set from `frame`, rows that `judge` was asked about.

    Drawn rows that people have not settled go to the top of the labeling queue. Only a row's own content
    decides, so that tells a labeler nothing. None where the audit is switched off or no row is drawn; safe to
    call again: what was drawn for this judge is left alone.
    """
    share, seed = float(version.criteria_set.audit_share), audit_seed(version.criteria_set.slug)
    if not share:
        return None
    rows = dict(frame)
    chosen = [pk for pk, row_hash in rows.items() if is_drawn(seed, row_hash, share)]
    new = sorted(set(chosen) - drawn_for(version, judge, chosen))
    return _kept(version, judge, seed, new, frame=len(rows), probability=share) if new else None


@transaction.atomic
def draw_some(
    *, version: CriteriaVersion, judge: str, frame: Rows, most: int, seed: str, actor: AnyUser
) -> Draw | None:
    """Draw `most` rows of `frame`, or all where there are fewer, each as likely as any; None of no rows."""
    rows = dict(frame)
    chosen = sorted(first_drawn(seed, rows.items(), most))
    if not chosen:
        return None
    probability = len(chosen) / len(rows)
    return _kept(version, judge, seed, chosen, frame=len(rows), probability=probability, actor=actor)


def drawn_for(version: CriteriaVersion, judge: str, candidate_ids: Iterable[int]) -> set[int]:
    """Those of the candidates that were drawn already to check `judge`."""
    audits = DrawnRow.objects.filter(
        draw__version=version, draw__strategy=Draw.Strategy.AUDIT, draw__judge=judge
    )
    drawn: set[int] = set()
    for chunk in batched(candidate_ids, _CHUNK):  # a judge's draws of years are not read to end one run
        drawn.update(audits.filter(candidate__in=chunk).values_list("candidate_id", flat=True))
    return drawn


def _kept(
    version: CriteriaVersion,
    judge: str,
    seed: str,
    candidate_ids: list[int],
    *,
    frame: int,
    probability: float,
    actor: AnyUser | None = None,
) -> Draw:
    """The draw with its rows, which go to people; logged."""
    draw = Draw.objects.create(
        version=version,
        strategy=Draw.Strategy.AUDIT,
        judge=judge,
        seed=seed,
        frame=frame,
        is_equal=True,
        created_by=actor if actor is not None and actor.is_authenticated else None,
    )
    DrawnRow.objects.bulk_create(
        (DrawnRow(draw=draw, candidate_id=pk, probability=probability) for pk in candidate_ids),
        batch_size=_CHUNK,
    )
    moved = bring_forward(version=version, candidate_ids=candidate_ids)
    record(
        actor=actor,
        action="audit_drawn",
        subject=str(draw),
        criteria_set=version.criteria_set,
        judge=judge,
        rows=len(candidate_ids),
        frame=frame,
        queued=moved,
    )
    return draw
