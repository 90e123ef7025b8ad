"""What every prompt template is made of. Nothing here may change what a published template says."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from judging.domain.examples import Examples
from judging.domain.reasons import SkipReason
from labeling.domain.criteria import CriteriaSpec, CriterionSpec

type Message = dict[str, str]


@dataclass(frozen=True, slots=True)
class Template:
    """One published wording. It never changes: certificates stand on judges that were asked in it.

    `instructions`: the system message, of the criteria and the judge's examples alone, so that providers can
    cache it from row to row. `question`: with the places `boundary` and `parts`. `entry`: the keys of one
    criterion's entry in the order in which they are asked for. `correction`: the message that asks once more
    after a reply that could not be read; None where the template never does.
    """

    name: str
    instructions: Callable[[CriteriaSpec, Examples | None], str]
    question: str
    entry: tuple[str, ...]
    correction: Callable[[SkipReason, CriteriaSpec], str] | None = None
    shows_examples: bool = False


def fenced(name: str, text: str, boundary: str) -> str:
    """A text between the lines that say what it is and where it ends."""
    return f"=== BEGIN {name} {boundary} ===\n{text}\n=== END {name} {boundary} ==="


def fenced_parts(texts: Mapping[str, str], boundary: str) -> str:
    """The texts one after another; an absent one has no fence, but the candidate is always there."""
    return "\n\n".join(
        fenced(name, text, boundary) for name, text in texts.items() if text or name.endswith("CANDIDATE")
    )


def listed(criteria: CriteriaSpec) -> str:
    """The criteria that a judge is asked about, a line each."""
    return "\n".join(_described(criterion) for criterion in criteria.judged)


def _described(criterion: CriterionSpec) -> str:
    low, high = criterion.scale_min, criterion.scale_max
    scale = f"{low} (not met) or {high} (met)" if high - low == 1 else f"{low} (worst) to {high} (best)"
    return f"- {criterion.name} – score {scale}: {criterion.description}"
