"""Telling others that human verdicts changed. Labeling knows no judge: whoever cares registers here."""

from collections.abc import Callable, Collection
from functools import partial

from django.db import transaction

from labeling.models import CriteriaVersion

type Listener = Callable[[CriteriaVersion, Collection[int]], None]

listeners: list[Listener] = []


def truth_changed(*, version: CriteriaVersion, candidate_ids: Collection[int]) -> None:
    """Call every listener with the version and the candidates' ids, once this transaction is committed."""
    for listener in listeners:
        transaction.on_commit(partial(listener, version, candidate_ids))
