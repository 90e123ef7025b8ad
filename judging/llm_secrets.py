"""The keys that this process could send to a provider, so that none of them is kept when one is repeated.

A judge may leave its key to the provider's library, which then takes one from the environment by itself: so
it is not enough to know the key that a question was asked with.
"""

import os
from functools import cache

from django.conf import settings

SHORTEST = 12  # characters: a shorter key is a local server's mere word, such as “ollama”
_OWN = "VERA_JUROR_"
_USUAL = ("_API_KEY", "_TOKEN")  # how the names end of what the library takes by itself


def keys_of(api_key: str | None) -> tuple[str, ...]:
    """What must stand in no reply to a question asked with this key, the longest first."""
    if not api_key or len(api_key) < SHORTEST or api_key in _keys_here():
        return _keys_here()
    return tuple(sorted((api_key, *_keys_here()), key=len, reverse=True))


@cache
def _keys_here() -> tuple[str, ...]:
    """The values, read once per process, of all variables that may hold a provider's key.

    Addresses are none, though they stand under names like these: one with a password in it is refused.
    """
    values = {value.strip() for name, value in os.environ.items() if _may_hold_a_key(name)}
    keys = (value for value in values if len(value) >= SHORTEST and not _is_address(value))
    return tuple(sorted(keys, key=len, reverse=True))


def _may_hold_a_key(name: str) -> bool:
    if name in settings.VERA_JUROR_ENV_NAMES or name.endswith(_USUAL):
        return True
    return name.startswith(_OWN) and not hasattr(settings, name)  # VERA_JUROR_HOSTS is Vera's own setting


def _is_address(value: str) -> bool:
    return value.lower().startswith(("http://", "https://"))


def forget_keys() -> None:
    """Read the environment anew, as after a restart of the process."""
    _keys_here.cache_clear()
