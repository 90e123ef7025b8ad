"""The one corrective re-ask: after which replies, and what is sent."""

from collections.abc import Mapping, Sequence
from itertools import islice

from judging.domain.echo import Material, is_piece_of
from judging.domain.prompt_parts import Message
from judging.domain.reasoning import without_reasoning
from judging.domain.reasons import SkipReason
from judging.domain.reply import storable
from judging.domain.verdict_json import verdicts

MOST_CHARACTERS = 4_000  # of the reply that is shown to its judge again
_MOST_VERDICTS = 10

# Replies that came whole and are wrong in form only. The others are not asked about again: who declined has
# decided (`refused`, `content_filter`), who ran out of tokens would again (`truncated`, `too_long`), and
# another model is not the judge (`wrong_model`).
CORRECTABLE = frozenset(
    {
        SkipReason.NOT_JSON,
        SkipReason.MISSING_CRITERION,
        SkipReason.UNKNOWN_CRITERION,
        SkipReason.OUT_OF_SCALE,
        SkipReason.DUPLICATE_KEY,
        SkipReason.EMPTY_REPLY,
    }
)


def may_correct(reason: str, reply: str, row_texts: Sequence[str]) -> bool:
    """Whether a reply that was refused for this reason may be sent back to its judge.

    Never where it repeats a score that stands in the judged material, or is nothing but a piece of it: sent
    back as the judge's own words, the candidate would speak with its judge's voice.
    """
    return reason in CORRECTABLE and not _echoes(reply, row_texts)


def _echoes(reply: str, row_texts: Sequence[str]) -> bool:
    if is_piece_of(without_reasoning(reply) or "", row_texts):
        return True
    material = Material(row_texts)
    found = list(islice(verdicts(reply), _MOST_VERDICTS))
    entries = [entry for each in found for entry in each.value["criteria"][:_MOST_VERDICTS]]
    return material.gives_a_score_of(reply) or material.holds_part_of(entries)


def corrective_messages(asked: Sequence[Mapping[str, str]], reply: str, correction: str) -> list[Message]:
    """The question, the end of the reply without its hidden reasoning, and what to mend.

    A verdict stands at the end, so that is what is kept of a long reply.
    """
    answer = without_reasoning(reply)
    said = storable(reply if answer is None else answer)[-MOST_CHARACTERS:]
    return [
        *(dict(message) for message in asked),
        {"role": "assistant", "content": said.strip() or "(nothing)"},
        {"role": "user", "content": correction},
    ]
