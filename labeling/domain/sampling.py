"""Which half of the golden set a row belongs to, decided once and for life."""

import enum
import hashlib


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
    digest = hashlib.sha256(f"split:{request_hash}".encode()).digest()
    position = int.from_bytes(digest[:8]) / 2**64
    return Split.TUNE if position < tune_share else Split.CERTIFY
