"""The identity of a judge version: one fingerprint, one judge asked in one way."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from judging.domain.examples import Examples, identity
from labeling.domain.content import canonical_json

# A panel asks nothing itself: its jurors' templates are in their fingerprints. In its own stands the first
# template's name as ever, so that panels made before there were others keep theirs.
_OF_A_PANEL = "juror-1"


def judge_fingerprint(
    *,
    kind: str,
    model: str = "",
    family: str = "",
    base_url_env: str = "",
    api_key_env: str = "",
    params: Mapping[str, Any] | None = None,
    template: str = _OF_A_PANEL,
    examples: Examples | None = None,
    members: Sequence[str] = (),
    on_split: str = "",
    recording: str = "",
) -> str:
    """SHA-256 (64 hex digits) of the canonical JSON of everything that makes a judge version what it is.

    In it: kind, model, family, the *names* of the variables that hold its address and key
    (never their values), parameters, the prompt template's name, the examples as they are shown (but for the
    random word around them), the members' fingerprints in their order, what a panel does with a split, and
    what a `recording` says, by its identity.
    Not in it: slug, title, dates, prices.
    """
    made_of: dict[str, Any] = {
        "kind": kind,
        "model": model,
        "family": family,
        "base_url_env": base_url_env,
        "api_key_env": api_key_env,
        "params": dict(params or {}),
        "template": template,
        "members": list(members),
        "on_split": on_split,
    }
    if examples is not None:
        made_of["examples"] = identity(examples)
    if recording:
        made_of["recording"] = recording
    return hashlib.sha256(canonical_json(made_of).encode()).hexdigest()
