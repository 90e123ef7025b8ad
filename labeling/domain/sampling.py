"""Choosing rows by a hash of what they are: the same ones on every machine, decided once and for life."""

import enum
import hashlib
from collections.abc import Iterable
from heapq import nsmallest


class Split(enum.StrEnum):
    """`tune` rows may teach (few-shot examples, prompt work); only `certify` rows may certify."""

    TUNE = "tune"
    CERTIFY = "certify"


def split_for(request_hash: str, tune_share: float = 0.30) -> Split:
    """Split of every answer to one request: the same for all of them, on every machine, for ever.

    `tune_share` is the expected share of requests (0 to 1) that go to `tune`.
    """
    if not 0 <= tune_share <= 1:
        raise ValueError(f"The tune share is a number from 0 to 1, not {tune_share}.")
    # Hashed again with a word of our own, so the split is independent of other uses of the request hash.
    return Split.TUNE if position("split", request_hash) < tune_share else Split.CERTIFY


def position(seed: str, row_hash: str) -> float:
    """Where a row stands from 0 to 1, evenly; under another seed it stands elsewhere, independently."""
    digest = hashlib.sha256(f"{seed}:{row_hash}".encode()).digest()
    return int.from_bytes(digest[:8]) / 2**64


def audit_seed(criteria_set: str) -> str:
    """The seed by which live rows of the criteria set with this slug are drawn for people to check."""
    return f"audit:{criteria_set}"


def is_drawn(seed: str, row_hash: str, share: float) -> bool:
    """Whether a row belongs to the `share` (0 to 1) of all rows that are drawn under this seed.

    Nothing but the row's own hash decides, so no judge and no label can. A larger share keeps every row of a
    smaller one.
    """
    if not 0 <= share <= 1:
        raise ValueError(f"The share that is drawn is a number from 0 to 1, not {share}.")
    return position(seed, row_hash) < share


def first_drawn(seed: str, rows: Iterable[tuple[int, str]], most: int) -> list[int]:
    """The ids of the `most` rows, of (id, hash), that come first under this seed: each as likely as any."""
    return [pk for _, pk in nsmallest(most, ((position(seed, row_hash), pk) for pk, row_hash in rows))]
