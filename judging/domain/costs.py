"""What a judge's decision costs, from what its replies did. What nobody knows is None, never nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Spent:
    """What some replies cost: US dollars for the `priced` ones; of the others no price is known."""

    dollars: Decimal
    priced: int
    unpriced: int


@dataclass(frozen=True, slots=True)
class Cost:
    """US dollars for one decision; `at_least`: some replies have no known price and are in it as nothing."""

    dollars: Decimal
    at_least: bool


def per_decision(spent: Spent, jurors: int) -> Cost | None:
    """The mean cost of a reply for each of the `jurors` that a decision asks; None where no price is known.

    Where all are asked about every row, as in a calibration, this is the sum of what the jurors cost.
    """
    replies = spent.priced + spent.unpriced
    if not spent.priced:
        return None
    return Cost(jurors * spent.dollars / replies, at_least=spent.unpriced > 0)


def saved(spared: Sequence[int], costs: Sequence[Decimal | None]) -> Decimal | None:
    """US dollars that questions not asked would have cost, by juror: how many are `spared`, what each costs.

    None where a juror that would be spared a question has no known price.
    """
    total = Decimal(0)
    for questions, cost in zip(spared, costs, strict=True):
        if questions and cost is None:
            return None
        total += questions * (cost or 0)
    return total
