"""What a decision costs, in words."""

from judging.domain.costs import Spent, per_decision
from judging.views.run_figures import dollars

_NOT_COUNTED = "not known: it was not counted when this judge was last calibrated."
_NO_PRICE = "not known: nobody knows the price of its model. Give one with the judge."


def decision_cost(spent: Spent | None, jurors: int) -> str:
    """US dollars for one decision and for a thousand. `spent`: None where it was not counted."""
    replies = spent.priced + spent.unpriced if spent else 0
    if spent is None or not replies:
        return _NOT_COUNTED
    cost = per_decision(spent, jurors)
    if cost is None:
        return _NO_PRICE
    together = f", its {jurors} jurors together" if jurors > 1 else ""
    words = (
        f"{dollars(cost.dollars)} a decision{together}; {dollars(1000 * cost.dollars)} for 1,000 decisions."
    )
    if not cost.at_least:
        return words
    return f"at least {words} The price of {spent.unpriced:,} of {replies:,} replies is not known."
