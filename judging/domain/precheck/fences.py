"""Markdown code fences and closed hidden reasoning around an answer."""

import re

OPENING = re.compile(r"(```+|~~~+)[ \t]*[\w+-]{0,20}[ \t]*(?:\n|\Z)")
TAGS = ("think", "thinking", "thought", "thoughts", "reasoning", "reflection", "scratchpad")
REASONING_OPENS = re.compile(rf"\s*<({'|'.join(TAGS)})(?: [^<>\n]{{0,200}})?>", re.IGNORECASE)
REASONING_CLOSES = {tag: re.compile(rf"</{tag}>", re.IGNORECASE) for tag in TAGS}


def without_fence(text: str) -> str:
    """The inside of one fence around the whole text (its end may be missing); else the text itself."""
    opening = OPENING.match(text)
    if opening is None:
        return text
    mark = opening[1]
    inside = text[opening.end() :].removesuffix(mark)
    return text if mark in inside else inside.strip()


def fenced_parts(text: str) -> list[str]:
    """The insides of all closed ``` fences in a text, in order, without their language names."""
    pieces = text.split("```")
    closed = pieces[1 : len(pieces) - 1 : 2]
    return [piece.partition("\n")[2] if "\n" in piece else piece for piece in closed]


def without_reasoning(text: str) -> str:
    """The text after the leading `<think>…</think>` blocks, as far as they are closed."""
    start = 0
    while opening := REASONING_OPENS.match(text, start):
        closing = REASONING_CLOSES[opening[1].lower()].search(text, opening.end())
        if closing is None:
            break
        start = closing.end()
    return text[start:].strip() if start else text
