"""The normalised copy that the checks read: what a person would see in a terminal.

Compatibility forms (NFKC) are left alone on purpose: they change meaning and no failure text uses them.
Every pattern is free of nested or overlapping repetition, so the time is linear in the text.
"""

import re

TERMINAL_CODES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]"  # colours, cursor moves
    r"|\x1b\][^\x07\x1b]{0,4096}(?:\x07|\x1b\\)"  # titles and links
    r"|\x1b[()][0-9A-B]"  # character sets
    r"|\x1b[@-Z\\^_=>78]"
    r"|(?:\\x1b|\\u001b|\\033|\\e|\^\[)?\[\d{1,3}(?:;\d{1,3}){0,5}m"  # escape character written out or lost
)
INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]+"
)


def normalised(text: str) -> str:
    """`text` without terminal codes, invisible characters and overwritten lines."""
    if "\x1b" in text or "\x9b" in text or "m" in text:
        text = TERMINAL_CODES.sub("", text)
    return _last_frames(INVISIBLE.sub("", text))


def undecorated(text: str) -> str:
    """A short text without bold marks and warning signs around its words."""
    return text.replace("**", "").strip("*_⚠❌🚫❗⛔🔴💥✖✗ \n")


def _last_frames(text: str) -> str:
    """Lines redrawn by carriage returns show their last frame; text without `\\n` uses `\\r` as line end."""
    text = text.replace("\r\n", "\n")
    if "\r" not in text:
        return text
    if "\n" not in text:
        return text.replace("\r", "\n")
    return "\n".join(_last_frame(line) if "\r" in line else line for line in text.split("\n"))


def _last_frame(line: str) -> str:
    frames = [frame for frame in line.split("\r") if frame]
    return frames[-1] if frames else ""
