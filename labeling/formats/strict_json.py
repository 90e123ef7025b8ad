"""JSON read strictly: what two readers could understand differently is a problem, never a guess."""

import json
import math
from collections import Counter
from typing import Any

_LONGEST_QUOTE = 40


class StrictDecoder:
    """Decodes one JSON value at a time and says what is wrong with it beyond its syntax."""

    def __init__(self) -> None:
        self._problems: list[str] = []
        self._decoder = json.JSONDecoder(
            object_pairs_hook=self._object, parse_constant=self._constant, parse_float=self._float
        )

    def decode(self, text: str, start: int = 0) -> tuple[Any, int, str]:
        """Value, where it ends, and one sentence about what it must not have ("" if nothing).

        Raises ValueError with a sentence where the text is no JSON value.
        """
        self._problems.clear()
        try:
            value, end = self._decoder.raw_decode(text, start)
        except json.JSONDecodeError as error:
            place = (
                f"line {error.lineno}, column {error.colno}" if error.lineno > 1 else f"column {error.colno}"
            )
            raise ValueError(
                f"This is not valid JSON: {error.msg.removesuffix(' at')} at {place}."
            ) from error
        except RecursionError as error:
            raise ValueError("This JSON is nested too deeply to be read.") from error
        except ValueError as error:
            raise ValueError("This JSON holds a whole number too long to be read.") from error
        return value, end, self._problems[0] if self._problems else ""

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) != len(pairs):
            times = Counter(name for name, _ in pairs)
            twice = next(name for name in made if times[name] > 1)
            self._problems.append(f"The key {quote(twice)} appears twice in one object; keep one.")
        return made

    def _constant(self, literal: str) -> None:
        self._problems.append(f"{literal} is not JSON; write a number or null.")

    def _float(self, literal: str) -> float:
        number = float(literal)
        if math.isinf(number):
            self._problems.append(f"The number {quote(literal)} is too large.")
        return number


def quote(value: object) -> str:
    """Something from a file, safe and short enough to stand in a sentence."""
    quoted = ascii(value)
    return quoted if len(quoted) <= _LONGEST_QUOTE else f"{quoted[:_LONGEST_QUOTE]}…"
