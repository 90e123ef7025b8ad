"""Taking a key out of a text, however whoever repeats it spells it."""

import base64
import re
from collections.abc import Iterable
from functools import lru_cache
from html.entities import codepoint2name
from urllib.parse import quote

MASK = "[key]"
# Characters: a shorter key is a local server's mere word, such as “ollama”, and only taken out as it is.
_LONG = 12
# What a text must hold for the slow search, letter by letter, to be worth it.
_ESCAPES = re.compile(r"%[0-9a-fA-F]{2}|\\u|\\/|&#|&[a-z]+;|\\\\")


def without_key(text: str, key: str | None) -> str:
    """The text with the key taken out: as it is, and as URLs, JSON, HTML, base64 and hexadecimal write it."""
    if not key or not text:
        return text
    for spelling in _spellings(key):
        text = text.replace(spelling, MASK)
    if len(key) >= _LONG and _ESCAPES.search(text):
        text = _escaped(key).sub(MASK, text)
    return text


def without_keys(text: str, keys: Iterable[str]) -> str:
    """The text with each of several keys taken out, as `without_key` does."""
    for key in keys:
        text = without_key(text, key)
    return text


@lru_cache(maxsize=64)
def _spellings(key: str) -> tuple[str, ...]:
    """The longest first, so that no part of one is left over where another is found in it."""
    found = {key, quote(key, safe="")}
    if len(key) >= _LONG:
        as_hex = key.encode().hex()
        found |= {quote(key), as_hex, as_hex.upper(), *_in_base64(key)}
    return tuple(sorted(found, key=len, reverse=True))


def _in_base64(key: str) -> set[str]:
    """Of the key at each of the three places that it can have in what is encoded: what it alone decides."""
    found = set()
    for before in range(3):
        encoded = base64.b64encode(b"\0" * before + key.encode()).decode()
        decided = (before + len(key.encode())) * 8 // 6
        inner = encoded[-(-before * 8 // 6) : decided]
        found |= {inner, inner.replace("+", "-").replace("/", "_")}
    return found


@lru_cache(maxsize=64)
def _escaped(key: str) -> re.Pattern[str]:
    """Each letter of the key as it is or escaped, in any mixture."""
    return re.compile("".join(map(_letter, key)), re.IGNORECASE)


def _letter(letter: str) -> str:
    code = ord(letter)
    as_bytes = "".join(f"%{byte:02x}" for byte in letter.encode())
    ways = [rf"\\*{re.escape(letter)}", as_bytes, rf"\\+u{code:04x}", f"&#0*{code};", f"&#x0*{code:x};"]
    if name := codepoint2name.get(code):
        ways.append(f"&{name};")
    return f"(?:{'|'.join(ways)})"
