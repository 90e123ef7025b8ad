"""What the checks look at."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from judging.domain.precheck.fences import without_fence, without_reasoning
from judging.domain.precheck.normal import normalised
from judging.domain.precheck.reading import Reading, printed_record, read, record_of

ASK_LIMIT = 100_000
"""Characters read of a request or of criteria when looking for what they ask for."""


@dataclass(frozen=True)
class Case:
    """One candidate with what was asked. `meta` is what the submitter says of the run.

    The derived texts are computed once; each takes time linear in the candidate.
    """

    candidate: str
    criteria: str = ""
    request: str = ""
    grounding: str = ""
    meta: Mapping[str, object] = field(default_factory=dict)

    @cached_property
    def text(self) -> str:
        """The candidate as a reader sees it: no colour codes, invisible characters or redrawn lines."""
        return normalised(self.candidate).strip()

    @cached_property
    def body(self) -> str:
        """`text` without closed hidden reasoning before it and a code fence around the whole of it."""
        return without_fence(without_reasoning(self.text))

    @cached_property
    def reading(self) -> Reading:
        """The whole candidate read as JSON; the raw form counts as much as the normalised one."""
        return read(self.candidate, self.body)

    @cached_property
    def record(self) -> Mapping[str, object] | None:
        """The object the whole candidate is, in JSON or printed with Python quotes."""
        document = self.reading.document
        return record_of(document.value) if document else printed_record(self.body)

    @cached_property
    def ask(self) -> str:
        """Request and criteria in one text."""
        return f"{_both_ends(self.request)}\n{_both_ends(self.criteria)}"


def _both_ends(text: str) -> str:
    """What is asked stands before or after a long text, seldom in its middle."""
    if len(text) <= ASK_LIMIT:
        return text
    return f"{text[: ASK_LIMIT // 2]}\n{text[-ASK_LIMIT // 2 :]}"


def criteria_text_of(criteria: Iterable[Mapping[str, str]]) -> str:
    """Criteria given as `{name, description}` items, as lines `name: description`."""
    return "\n".join(f"{item['name']}: {item['description']}" for item in criteria)
