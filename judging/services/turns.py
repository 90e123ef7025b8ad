"""Whom to ask now and whom later, where a panel's jurors are asked no further than its verdict needs."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from judging.domain.early_stop import ask_next
from judging.services.plans import Plan
from judging.services.questions import Question

# Questions to ask now, and those that need not be asked at all.
type Next = tuple[list[Question], list[Question]]


@dataclass(slots=True)
class _Turn:
    """One row: what its jurors said so far, who is being asked, and who is left, in the panel's order."""

    said: list[str]
    left: deque[Question]
    asked: int = 0


class Turns:
    """The rows in work. Where all jurors are asked about every row, they are asked at once."""

    def __init__(self, plan: Plan) -> None:
        self._jurors = len(plan.jurors)
        self._stops_early = plan.stops_early
        self._rows: dict[int, _Turn] = {}

    def begin(self, questions: Sequence[Question], said: Sequence[str]) -> Next:
        """A row's open questions. `said`: the outcomes that its other jurors have already."""
        if not self._stops_early or not questions:
            return list(questions), []
        row = questions[0].row.verdict_id
        self._rows[row] = _Turn(list(said), deque(questions))
        return self._next(row)

    def heard(self, row: int, outcome: str) -> Next:
        """One of those asked about the row has answered, or will not."""
        if (turn := self._rows.get(row)) is None:
            return [], []
        turn.said.append(outcome)
        turn.asked -= 1
        return ([], []) if turn.asked else self._next(row)

    def _next(self, row: int) -> Next:
        turn = self._rows[row]
        turn.asked = ask_next(self._jurors, turn.said)
        if turn.asked:
            return [turn.left.popleft() for _ in range(turn.asked)], []
        del self._rows[row]
        return [], list(turn.left)
