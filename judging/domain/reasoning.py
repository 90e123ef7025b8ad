"""Part a reply's answer from the hidden reasoning before it."""

import re

from judging.domain.verdict_json import masked, verdicts

_TAG = r"(?:\w{1,20}:)?(?:think(?:ing)?|thoughts?|reasoning|reflection|analysis|scratchpad)"
_END = re.compile(
    rf"<\s*/\s*{_TAG}\s*>|\[/think\]|◁/think▷|<\|end_(?:of_thought|thinking)\|>"
    r"|<\|channel\|>final[^{}\n]{0,40}?<\|message\|>",
    re.IGNORECASE,
)
# Only at the start of a line: a judge may write about a tag that it saw in the material.
_START = re.compile(
    rf"^[^\S\n]*(?:<\s*{_TAG}\b[^<>\n]{{0,80}}>|\[think\]|◁think▷|<\|(?:begin_of_thought|start_thinking)\|>"
    r"|(?:<\|start\|>assistant)?<\|channel\|>analysis)",
    re.IGNORECASE | re.MULTILINE,
)
_FENCE = re.compile(r"\A```[a-zA-Z]*\s*|\s*```\Z")


def without_reasoning(text: str) -> str | None:
    """What follows the last end of hidden reasoning, unfenced; None where reasoning begins and never ends.

    A tag inside the verdict's own JSON, in a sentence about the material, neither begins nor ends anything.
    """
    start = 0
    if _END.search(text) or _START.search(text):
        outside = masked(text, verdicts(text))
        start = max((end.end() for end in _END.finditer(outside)), default=0)
        if _START.search(outside[start:]):
            return None
    return _FENCE.sub("", text[start:].strip().strip("\ufeff\u200b").strip())
