"""What a comparison comes to, in sentences."""

from dataclasses import dataclass

from judging.domain.comparison import Changes
from judging.domain.figures import many
from judging.services.comparing import Compared

_BY_CHANCE = 0.05  # rarer than this is not put down to chance


@dataclass(frozen=True, slots=True)
class Words:
    """The answer in a line, the net with its doubt, and what the comparison does not cover."""

    headline: str
    net: str
    chance: str
    beside: list[str]


def words_of(found: Compared, before: str, after: str, judge: str) -> Words:
    """`judge`: the one by which generators are compared; "" where the sides are judges."""
    changes = found.changes
    beside = [*_alone(found, before, after, "output" if judge else "row")]
    if not changes.n:
        thing = "request" if judge else "row"
        return Words(
            f"There is no {thing} on which both have a verdict, so there is nothing to compare.",
            "",
            "",
            beside,
        )
    return Words(_headline(changes, before, after), _net(changes, judge), _chance(changes), beside)


def _headline(changes: Changes, before: str, after: str) -> str:
    if not changes.fixed + changes.regressed:
        return f"Nothing moved: {before} and {after} come to the same on all {changes.n:,}."
    if changes.chance >= _BY_CHANCE:
        return f"It cannot be told whether {before} or {after} is better: what moved may well be chance."
    return f"{after} is {'better' if changes.net > 0 else 'worse'} than {before}."


def _net(changes: Changes, judge: str) -> str:
    low, high = (_signed(f"{100 * end:+.1f}") for end in changes.interval())
    what = "requests" if judge else "rows"
    if not changes.fixed + changes.regressed:
        return f"In 100 {what} the true difference is hardly outside {low} to {high} (95% interval)."
    more = "more" if changes.net >= 0 else "fewer"
    of_what = "passes" if judge else "that come out right"
    return (
        f"{changes.fixed:,} fixed less {changes.regressed:,} regressed: {_signed(f'{changes.net:+,}')} in "
        f"{changes.n:,} {what} with a verdict of both. In 100 {what} that is "
        f"{abs(100 * changes.net_share):.1f} {more} {of_what} (95% interval {low} to {high})."
    )


def _signed(number: str) -> str:
    """With a minus sign in place of a hyphen, and without a sign where it is zero."""
    return number.replace("-", "−") if any(digit in number for digit in "123456789") else number.lstrip("+-")


def _chance(changes: Changes) -> str:
    if not changes.fixed + changes.regressed:
        return ""
    p = changes.chance
    shown = "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
    hardly = "hardly ever" if p < 0.001 else f"in {100 * p:.1f} of 100 such comparisons"
    return f"Two equally good sides would differ so unevenly {hardly} (McNemar's exact test: {shown})."


def _alone(found: Compared, before: str, after: str, what: str) -> list[str]:
    alone = [(found.only_before, before), (found.only_after, after)]
    return [
        f"Left out: {many(rows, what)} of {name}, as the other side was not asked about the like."
        for rows, name in alone
        if rows
    ]
