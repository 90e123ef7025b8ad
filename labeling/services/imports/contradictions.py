"""Rows of one file with the same content and different truths: nobody may pick one, so a lead rules."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import batched

from django.utils import timezone

from labeling.models import ImportBatch, Ruling

_AT_ONCE = 500
_MOST_LINES = 20


def declare_unresolved(*, batch: ImportBatch, lines: Mapping[int, Sequence[int]]) -> int:
    """Give every candidate (key of `lines`) an `unresolved` ruling that names the lines of the file.

    A ruling of this very file is superseded; one that was there before stands. Returns how many were given.
    """
    given = 0
    for ids in batched(lines, _AT_ONCE):
        given += _declare(batch, ids, lines)
    return given


def _declare(batch: ImportBatch, ids: Iterable[int], lines: Mapping[int, Sequence[int]]) -> int:
    rulings = Ruling.objects.current().filter(version_id=batch.version_id, candidate__in=ids)
    current = {ruling.candidate_id: ruling for ruling in rulings}
    own = [ruling for ruling in current.values() if ruling.batch_id == batch.pk]
    Ruling.objects.filter(pk__in=[ruling.pk for ruling in own]).update(superseded_at=timezone.now())
    older = current.keys() - {ruling.candidate_id for ruling in own}
    unresolved = [
        Ruling(
            candidate_id=candidate,
            version_id=batch.version_id,
            verdict=Ruling.Decision.UNRESOLVED,
            reason=_reason(batch.file_name, lines[candidate]),
            blind=True,
            source=Ruling.Source.IMPORT,
            batch=batch,
            supersedes=current.get(candidate),
        )
        for candidate in ids
        if candidate not in older
    ]
    Ruling.objects.bulk_create(unresolved)
    return len(unresolved)


def _reason(file_name: str, lines: Sequence[int]) -> str:
    named = ", ".join(map(str, lines[:_MOST_LINES])) + (", …" if len(lines) > _MOST_LINES else "")
    return f"Lines {named} of {file_name} have the same content and contradict each other."
