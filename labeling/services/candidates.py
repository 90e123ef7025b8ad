"""Taking candidates in from programs: known again by their content, and all of a delivery or nothing."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import transaction

from labeling.domain.content import content_hash, request_hash
from labeling.domain.sampling import split_for
from labeling.formats.rows import Row
from labeling.models import Candidate, CriteriaSet, CriteriaVersion, Slot, Submission
from labeling.services.archiving import check_open
from labeling.services.audit import record
from labeling.services.imports.intake import HASH
from labeling.services.imports.standing import arrival_of
from labeling.services.queue import open_slots

_CHUNK = 500


class NothingLive(ValueError):
    """The criteria set has no live version to label by; the text says what to do."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of a row. `created`: it was not known before. `queued`: people are asked about it now."""

    candidate: int
    content_hash: str
    split: str
    created: bool
    queued: bool


@transaction.atomic
def take_candidates(
    *, criteria_set: CriteriaSet, rows: Sequence[Row], split: str = HASH, sender: str
) -> list[Taken]:
    """Add the rows to a criteria set and to the labeling queue of its live version; what became of each.

    A row whose texts the set has is the same candidate, of the split it had. That it came again is kept once
    for each id, generator, `truncated` and meta that it came with. `split` is tune, certify or hash, for rows
    that do not say. `sender` names who sent them. Raises `Archived` and `NothingLive`.
    """
    # Deliveries come one after the other, so that of two alike the second finds what the first brought.
    locked = CriteriaSet.objects.select_for_update(no_key=True, of=("self",)).get(pk=criteria_set.pk)
    check_open(locked)
    if locked.live_version is None:
        raise NothingLive(f"The criteria set {locked.slug} has no live version. Have a lead promote one.")
    version = locked.live_version
    hashes = [content_hash(row.request, row.output, row.grounding, row.criteria_text) for row in rows]
    known = _known(locked, hashes)
    hidden = _hidden(known.values())
    made = _add(
        locked, {each: row for each, row in zip(hashes, rows, strict=True) if each not in known}, split
    )
    candidates = known | made
    _note_arrivals([(candidates[each].pk, row) for each, row in zip(hashes, rows, strict=True)], set(known))
    open_slots(version=version, candidate_ids=sorted([*(each.pk for each in made.values()), *hidden]))
    record(
        actor=None,
        action="candidates_taken",
        subject=f"from {sender}",
        criteria_set=locked,
        rows=len(rows),
        created=len(made),
    )
    return _taken(version, hashes, candidates, set(made))


def _known(criteria_set: CriteriaSet, hashes: Sequence[str]) -> dict[str, Candidate]:
    found = Candidate.objects.filter(criteria_set=criteria_set, content_hash__in=set(hashes))
    return {each.content_hash: each for each in found.only("content_hash", "split")}


def _hidden(known: Iterable[Candidate]) -> set[int]:
    """Those that came only as members of reference sets so far, and that nobody is asked about yet."""
    ids = {each.pk for each in known}
    return ids - set(Candidate.objects.filter(pk__in=ids).for_people().values_list("pk", flat=True))


def _add(criteria_set: CriteriaSet, rows: dict[str, Row], split: str) -> dict[str, Candidate]:
    new = [
        Candidate(
            criteria_set=criteria_set,
            request=row.request,
            output=row.output,
            grounding=row.grounding,
            criteria_text=row.criteria_text,
            content_hash=content,
            request_hash=(asked := request_hash(row.request)),
            split=row.split or (split_for(asked) if split == HASH else split),
        )
        for content, row in rows.items()
    ]
    return {each.content_hash: each for each in Candidate.objects.bulk_create(new, batch_size=_CHUNK)}


def _note_arrivals(rows: Sequence[tuple[int, Row]], known: set[str]) -> None:
    """Keep how each row came, unless it came so before."""
    arrivals = {(pk, arrival_of(row)): row for pk, row in reversed(rows)}
    if known:
        came = Submission.objects.filter(candidate__in={pk for pk, _ in arrivals})
        for before in came.exclude(source=Submission.Source.REFERENCE):
            arrivals.pop((before.candidate_id, _arrival_before(before)), None)
    Submission.objects.bulk_create(
        (
            Submission(
                candidate_id=pk,
                external_id=row.external_id,
                generator_model=row.generator_model,
                generator_family=row.generator_family,
                truncated=row.truncated,
                meta=dict(row.meta),
                source=Submission.Source.API,
            )
            for (pk, _), row in reversed(arrivals.items())
        ),
        batch_size=_CHUNK,
    )


def _arrival_before(before: Submission) -> int:
    return arrival_of(
        Row(
            line=0,
            output="",
            external_id=before.external_id,
            generator_model=before.generator_model,
            generator_family=before.generator_family,
            truncated=before.truncated,
            meta=before.meta,
        )
    )


def _taken(
    version: CriteriaVersion, hashes: Sequence[str], candidates: dict[str, Candidate], made: set[str]
) -> list[Taken]:
    ids = {each.pk for each in candidates.values()}
    slots = Slot.objects.filter(version=version, state=Slot.State.OPEN, candidate__in=ids)
    open_ones = set(slots.order_by().values_list("candidate", flat=True))
    found = []
    for content in hashes:
        row = candidates[content]
        found.append(Taken(row.pk, content, row.split, content in made, row.pk in open_ones))
        made.discard(content)  # where it comes once more in one delivery it is known
    return found
