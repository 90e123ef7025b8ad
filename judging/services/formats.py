"""Response formats that models were found to take: shared by all processes, and asked anew after a week."""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from functools import partial
from typing import cast

from django.db import transaction
from django.utils import timezone

from judging.domain.reply import storable
from judging.llm import Format, formats_learned, remember_format
from judging.models import TakenFormat
from judging.services.patience import patiently
from judging.services.plans import Juror

# A server that has learned schemas since is found out; asking costs one refused request.
KEPT = timedelta(days=7)


def recall(jurors: Iterable[Juror]) -> None:
    """Ask these jurors in the formats that they were found to take, by whichever process."""
    asked = list(jurors)
    note_learned()
    found = TakenFormat.objects.filter(
        model__in={juror.model for juror in asked}, noted_at__gt=timezone.now() - KEPT
    )
    taken = {(each.model, each.base_url_env): each.format for each in found}
    for juror in asked:
        known = taken.get((juror.model, juror.base_url_env))
        remember_format(juror.model, juror.connection.base_url, cast("Format | None", known))


def note_learned() -> None:
    """Write down what this process found since the last time."""
    if learned := formats_learned():
        patiently(partial(_note, learned))


@transaction.atomic
def _note(learned: Mapping[tuple[str, str], Format]) -> None:
    for (model, base_url_env), taken in learned.items():
        TakenFormat.objects.update_or_create(
            model=model,
            base_url_env=base_url_env,
            defaults={"format": taken, "noted_at": timezone.now()},
        )


@transaction.atomic
def forget_format(*, model: str, base_url_env: str) -> bool:
    """Ask in the judge's own format again, when a run next begins; False where none was remembered."""
    of_model = TakenFormat.objects.filter(model=storable(model), base_url_env=storable(base_url_env))
    deleted, _ = of_model.delete()
    return bool(deleted)
