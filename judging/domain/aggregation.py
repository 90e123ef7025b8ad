"""From scores to verdicts: a juror's by weighted mean and minimums, a panel's by strict majority."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from judging.domain.reasons import SkipReason
from judging.domain.verdicts import Outcome, Score
from labeling.domain.criteria import JUDGE, CriteriaSpec, CriterionSpec
from labeling.domain.rules import find_rule

type OnSplit = Literal["majority", "human"]


@dataclass(frozen=True, slots=True)
class JurorVerdict:
    """A juror's pass or fail. `failed` names the criteria that fell short, in order.

    `overall` is 0–1; None only of a recorded verdict that came without a score on each criterion.
    """

    outcome: Outcome
    overall: Fraction | None
    scores: tuple[Score, ...]
    failed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Shortfall:
    """One criterion that jurors on the failing side failed: how many of them, and their sentences."""

    name: str
    jurors: int
    reasons: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name}: {' '.join(self.reasons)}" if self.reasons else self.name


@dataclass(frozen=True, slots=True)
class PanelVerdict:
    """What the panel says.

    `scores`: median per criterion over the scored jurors, on the criterion's scale. `confidence`: share of
    the configured jurors behind the verdict, None where there is none. `reason` only when skipped.
    """

    outcome: Outcome
    reason: SkipReason | None
    confidence: Fraction | None
    scores: Mapping[str, Fraction]
    shortfalls: tuple[Shortfall, ...]


def score_by_rules(criteria: CriteriaSpec, candidate: str) -> tuple[Score, ...]:
    """Scores of the criteria that code decides: the top of the scale, or its bottom with the reason why.

    Raises `UnknownStrategy` for a strategy that is neither "judge" nor a rule.
    """
    ruled = [criterion for criterion in criteria.criteria if criterion.strategy != JUDGE]
    return tuple(_score_by_rule(criterion, candidate) for criterion in ruled)


def _score_by_rule(criterion: CriterionSpec, candidate: str) -> Score:
    shortfall = find_rule(criterion.strategy).shortfall(criterion.params, candidate)
    return Score(criterion.name, criterion.scale_min if shortfall else criterion.scale_max, shortfall)


def juror_verdict(criteria: CriteriaSpec, scores: Sequence[Score]) -> JurorVerdict:
    """Pass when the weighted mean reaches the threshold and every required criterion its minimum, else fail.

    `scores`: exactly one per criterion, the judge's and the rules' together. Raises `ValueError` otherwise.
    """
    by_name = {score.name: score for score in scores}
    if sorted(score.name for score in scores) != sorted(criterion.name for criterion in criteria.criteria):
        raise ValueError("A verdict needs exactly one score for each criterion of the version.")
    ordered = tuple(by_name[criterion.name] for criterion in criteria.criteria)
    overall = _weighted_mean(criteria, ordered)
    pairs = list(zip(criteria.criteria, ordered, strict=True))
    stands = all(_reaches_minimum(criterion, score) for criterion, score in pairs if criterion.required)
    passes = stands and overall >= Fraction(criteria.threshold)
    failed = tuple(score.name for criterion, score in pairs if _falls_short(criteria, criterion, score))
    return JurorVerdict(Outcome.PASS if passes else Outcome.FAIL, overall, ordered, failed)


def _weighted_mean(criteria: CriteriaSpec, scores: Sequence[Score]) -> Fraction:
    weights = sum(criterion.weight for criterion in criteria.criteria)
    pairs = zip(criteria.criteria, scores, strict=True)
    return (
        sum((criterion.weight * _share(criterion, score) for criterion, score in pairs), Fraction(0))
        / weights
    )


def _share(criterion: CriterionSpec, score: Score) -> Fraction:
    return Fraction(score.score - criterion.scale_min, criterion.scale_max - criterion.scale_min)


def _reaches_minimum(criterion: CriterionSpec, score: Score) -> bool:
    return criterion.minimum is None or score.score >= criterion.minimum


def _falls_short(criteria: CriteriaSpec, criterion: CriterionSpec, score: Score) -> bool:
    """Below its own minimum or, where it has none, below what the whole is asked to reach."""
    if criterion.minimum is not None:
        return score.score < criterion.minimum
    return _share(criterion, score) < Fraction(criteria.threshold)


def panel_verdict(jurors: Sequence[JurorVerdict | None], on_split: OnSplit = "majority") -> PanelVerdict:
    """The panel's verdict; `jurors` has one entry per *configured* juror, None where it gave no verdict.

    A verdict needs more than half of the configured jurors. With `on_split="human"`, pass and fail side by
    side go to people whatever the count; a skipped juror beside agreeing ones is no split.
    """
    if not jurors:
        raise ValueError("A panel needs at least one configured juror.")
    scored = [juror for juror in jurors if juror is not None]
    shortfalls = _shortfalls([juror for juror in scored if juror.outcome is Outcome.FAIL])
    votes = {side: sum(juror.outcome is side for juror in scored) for side in (Outcome.PASS, Outcome.FAIL)}
    medians = _medians(scored)
    if on_split == "human" and all(votes.values()):
        return PanelVerdict(Outcome.ESCALATED, None, None, medians, shortfalls)
    for side, count in votes.items():
        if 2 * count > len(jurors):
            return PanelVerdict(side, None, Fraction(count, len(jurors)), medians, shortfalls)
    return PanelVerdict(Outcome.SKIPPED, SkipReason.NO_MAJORITY, None, medians, shortfalls)


def _medians(scored: Sequence[JurorVerdict]) -> dict[str, Fraction]:
    by_name: dict[str, list[int]] = {}
    for juror in scored:
        for score in juror.scores:
            by_name.setdefault(score.name, []).append(score.score)
    return {name: _median(values) for name, values in by_name.items()}


def _median(values: list[int]) -> Fraction:
    """Exact: between two middle scores it is their half sum, which floats would not always keep."""
    ordered, half = sorted(values), len(values) // 2
    return Fraction(ordered[half] + ordered[~half], 2)


def _shortfalls(failing: Sequence[JurorVerdict]) -> tuple[Shortfall, ...]:
    """What the failing side found wanting, most jurors first, else in the criteria's order."""
    reasons: dict[str, list[str]] = {}
    for juror in failing:
        said = {score.name: score.reason for score in juror.scores}
        for name in juror.failed:
            reasons.setdefault(name, []).append(said[name])
    found = [
        Shortfall(name, len(texts), tuple(dict.fromkeys(filter(None, texts))))
        for name, texts in reasons.items()
    ]
    return tuple(sorted(found, key=lambda shortfall: -shortfall.jurors))
