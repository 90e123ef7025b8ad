"""What a decision costs, in words."""

from collections.abc import Sequence

from judging.domain.costs import Spent, per_decision, saved
from judging.domain.disagreement import questions, spared_in_turn
from judging.models import JudgeVersion, Run
from judging.services.costs import costs_by_juror
from judging.services.disagreements import patterns_of
from judging.views.figures import percent
from judging.views.run_figures import dollars

_NOT_COUNTED = "not known, as it was not counted when this judge was last calibrated."
_NO_PRICE = "not known, as the price of its model is not. Give one with the judge."


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


def in_turn_words(run: Run, jurors: Sequence[JudgeVersion]) -> str:
    """What a run that asked everybody would have saved by asking no further than needed; "" for nothing."""
    patterns = patterns_of(run, jurors)
    spared = spared_in_turn(patterns, "human" if run.on_split == "human" else "majority")
    if not sum(spared):
        return ""
    asked, money = questions(patterns), saved(spared, costs_by_juror(run, jurors))
    less = f", and {dollars(money)} less" if money is not None else ""
    return (
        f"Asked no further than needed, {asked - sum(spared):,} of its {asked:,} questions would have "
        f"brought the very same verdicts: {percent(sum(spared) / asked)} fewer{less}."
    )
