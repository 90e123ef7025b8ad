"""From labels and a ruling to the truth of one golden row: a pure function of facts."""

import enum
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from labeling.domain.sampling import Split
from labeling.domain.verdicts import HumanVerdict


class Truth(enum.StrEnum):
    """What people hold of a candidate; `unresolved` is excluded, counted and queued for a ruling."""

    PASS = "pass"  # noqa: S105
    FAIL = "fail"
    UNRESOLVED = "unresolved"


@dataclass(frozen=True)
class LabelFact:
    """One labeler's current label; `blind` is false where a judge's verdict was shown before it."""

    labeler: Hashable
    verdict: HumanVerdict
    blind: bool


@dataclass(frozen=True)
class RulingFact:
    """A lead's current ruling; verdict None declares the row unresolved (say, contradicting duplicates)."""

    verdict: HumanVerdict | None
    blind: bool


def settle(labels: Iterable[LabelFact], ruling: RulingFact | None, split: Split | str) -> Truth | None:
    """Truth of one row, or None where nobody has labelled it (no ruling, no blind label).

    A ruling settles, but on a `certify` row only a blind one: any other leaves the row unresolved.
    Without a ruling the strict majority of blind labelers settles; a tie is unresolved.
    Raises ValueError for two labels of one labeler or an unknown split.
    """
    facts = list(labels)
    check_one_label_each(facts)
    if ruling is not None:
        return _ruled(ruling, Split(split))
    return _majority([fact.verdict for fact in facts if fact.blind])


def check_one_label_each(labels: Iterable[LabelFact]) -> None:
    """Raise ValueError where a labeler appears twice: pass current labels only, one per labeler."""
    seen: set[Hashable] = set()
    for fact in labels:
        if fact.labeler in seen:
            raise ValueError(
                f"Labeler {fact.labeler!r} has two labels on one row: "
                "pass only the current one, the others are superseded."
            )
        seen.add(fact.labeler)


def _ruled(ruling: RulingFact, split: Split) -> Truth:
    if ruling.verdict is None or (split is Split.CERTIFY and not ruling.blind):
        return Truth.UNRESOLVED
    return Truth(ruling.verdict)


def _majority(verdicts: list[HumanVerdict]) -> Truth | None:
    passes = verdicts.count(HumanVerdict.PASS)
    fails = len(verdicts) - passes
    if not verdicts:
        return None
    if passes == fails:
        return Truth.UNRESOLVED
    return Truth.PASS if passes > fails else Truth.FAIL
