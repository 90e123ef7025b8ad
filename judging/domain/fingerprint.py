"""The identity of a judge version: one fingerprint, one judge asked in one way."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from judging.domain.prompt import TEMPLATE
from labeling.domain.content import canonical_json


def judge_fingerprint(
    *,
    kind: str,
    model: str = "",
    family: str = "",
    base_url_env: str = "",
    api_key_env: str = "",
    params: Mapping[str, Any] | None = None,
    members: Sequence[str] = (),
    on_split: str = "",
) -> str:
    """SHA-256 (64 hex digits) of the canonical JSON of everything that makes a judge version what it is.

    In it: kind (model or panel), model, family, the *names* of the variables that hold its address and key
    (never their values), parameters, the prompt template's version, the members' fingerprints in their order,
    and what a panel does with a split. Not in it: slug, title, dates, prices.
    """
    made_of = {
        "kind": kind,
        "model": model,
        "family": family,
        "base_url_env": base_url_env,
        "api_key_env": api_key_env,
        "params": dict(params or {}),
        "template": TEMPLATE,
        "members": list(members),
        "on_split": on_split,
    }
    return hashlib.sha256(canonical_json(made_of).encode()).hexdigest()
