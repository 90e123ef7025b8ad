"""What identifies a candidate: the hash of the four texts that a judge may see."""

import hashlib
import json
import re

_NUL = "\x00"
# In a Python string every code point of this range is a lone surrogate: pairs are one character.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def canonical_json(value: object) -> str:
    """One spelling per JSON value: sorted keys, no spaces, characters as themselves.

    Raises ValueError for NaN and infinities, which JSON does not have.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def content_hash(request: str, output: str, grounding: str | None, criteria_text: str | None) -> str:
    """Identity of a candidate: sha256 (hex) of the canonical JSON of its four texts.

    An absent grounding or criteria text is the same as an empty one. Texts must be storable
    (`text_problem` is None): a lone surrogate raises UnicodeEncodeError.
    """
    texts = {
        "request": request,
        "output": output,
        "grounding": grounding or "",
        "criteria_text": criteria_text or "",
    }
    return _sha256(canonical_json(texts))


def request_hash(request: str) -> str:
    """Identity of a request (sha256, hex): the answers to one request share it, and so their split."""
    return _sha256(request)


def text_problem(text: str) -> str | None:
    """Why this text cannot be stored, naming the kind and the first place (counted from 1), else None."""
    found = _UNSTORABLE.search(text)
    if found is None:
        return None
    place = f"at character {found.start() + 1}"
    if found.group() == _NUL:
        return f"The text has a NUL character {place}: remove it."
    return (
        f"The text has a lone surrogate (U+{ord(found.group()):04X}) {place}, half of a character: "
        "export the text again as UTF-8."
    )


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
