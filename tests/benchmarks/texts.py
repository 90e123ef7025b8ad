"""Texts of a wanted size, each different and the same on every machine: what models write, roughly."""

import json
import random

_VOCABULARY = """
the order was shipped on Tuesday and should reach you within three days you can follow it under your account
if it does not arrive please write to us again with the number of the order and we will send another one or
return what you paid thank you for your patience and kind regards from the service team report table result
value model answer question because however although therefore between during
"""
_WORDS = _VOCABULARY.split()


def prose(size: int, seed: int = 0) -> str:
    """Sentences and paragraphs, of exactly `size` characters."""
    chance = random.Random(seed)
    sentences = []
    length = 0
    while length < size:
        words = chance.choices(_WORDS, k=chance.randint(6, 18))
        sentences.append(" ".join(words).capitalize() + chance.choice((". ", ". ", "? ", ".\n\n")))
        length += len(sentences[-1])
    return "".join(sentences)[: size - 1] + "."


def json_list(size: int, seed: int = 0) -> str:
    """A JSON list of objects with some nesting, of at least `size` characters, valid."""
    chance = random.Random(seed)
    items: list[str] = []
    length = 2
    while length < size:
        inner = {
            "text": prose(80, chance.randrange(10**6)),
            "score": chance.random(),
            "tags": ["a", "b", None],
        }
        items.append(json.dumps({"id": len(items), "ok": True, "result": inner}))
        length += len(items[-1]) + 2
    return f"[{', '.join(items)}]"


def traceback_like(size: int, seed: int = 0) -> str:
    """Prose with stack traces quoted between the paragraphs."""
    chance = random.Random(seed)
    parts: list[str] = []
    length = 0
    while length < size:
        depth = chance.randint(1, 6)
        frames = "".join(
            f'  File "/app/module_{level}.py", line {chance.randint(1, 900)}, in step_{level}\n'
            f"    return call_{level}(value)\n"
            for level in range(depth)
        )
        trace = f"Traceback (most recent call last):\n{frames}ValueError: wrong value {depth}\n"
        parts.append(f"{prose(200, chance.randrange(10**6))}\n\n{trace}\n")
        length += len(parts[-1])
    return "".join(parts)[:size]


def html(size: int, seed: int = 0) -> str:
    """A page with paragraphs, lists and links."""
    chance = random.Random(seed)
    parts = ["<!DOCTYPE html>\n<html><head><title>Answer</title></head><body>\n"]
    length = len(parts[0])
    while length < size:
        words = prose(120, chance.randrange(10**6))
        parts.append(
            f'<div class="row"><p>{words}</p><ul><li><a href="/x/{len(parts)}">more</a></li></ul></div>\n'
        )
        length += len(parts[-1])
    return "".join(parts)[: size - 14] + "</body></html>"


KINDS = {"prose": prose, "JSON": json_list, "text with stack traces": traceback_like, "HTML": html}
