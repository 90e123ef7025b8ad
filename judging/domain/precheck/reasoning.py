"""`unfinished_reasoning`: hidden reasoning that was cut off, and no answer."""

import re

from judging.domain.precheck.case import Case
from judging.domain.precheck.fences import REASONING_OPENS, without_reasoning
from judging.domain.precheck.verdict import Kill

DANGLING_END = re.compile(
    r"(?:[,(–—;=+]|\b(?:the|an?|and|or|but|nor|because|if|which|who|whose|whether|while|although|is|are"
    r"|was|were|be|been|am|has|have|had|will|would"
    r"|should|could|can|may|might|must|to|of|with|for|from|by|at|as|than|into|its|their|his|my|your"
    r"|our|this|these|let|let's|we|i|they|he|she|i'll|it's|that's"
    r"|not|very|need|needs|so|then|also|when|where|how|what|why))"
    r"\Z",
    re.IGNORECASE,
)
TAGS_NAMED = re.compile(
    r"\b(?:think|thinking|thoughts?|reasoning|tags?|scratchpad|xml|chain of thought|prefix|complete the)\b|<",
    re.IGNORECASE,
)
TAIL = 200


def unfinished_reasoning(case: Case) -> Kill | None:
    """Kill reasoning that is opened, never closed and cut in mid-sentence.

    Some models answer after a tag they never close, so a text that ends like a sentence is left alone.
    """
    rest = without_reasoning(case.text)
    opening = REASONING_OPENS.match(rest)
    if opening is None or f"</{opening[1].lower()}" in rest.lower() or TAGS_NAMED.search(case.ask):
        return None
    if opening.end() >= len(rest):
        return Kill(f"the output opens <{opening[1]}> and holds nothing else")
    if DANGLING_END.search(rest[-TAIL:]):
        return Kill(f"the output is reasoning in <{opening[1]}>, cut off in mid-sentence, and no answer")
    return None
