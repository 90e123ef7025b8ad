"""How a score comes about, told on outputs made up for the criteria at hand."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from labeling.domain.criteria import CriteriaSpec, CriterionSpec


@dataclass(frozen=True, slots=True)
class Step:
    """One criterion in the sum. `share`: its score as a part of its scale; `short`: below its minimum."""

    name: str
    score: int
    scale_min: int
    scale_max: int
    share: Fraction
    weight: int
    short: bool

    @property
    def percent(self) -> str:
        return _percent(self.share)


@dataclass(frozen=True, slots=True)
class Worked:
    """An output that is supposed, its scores, and what follows. `overall` and `threshold` are 0 to 1.

    `spoiled`: name of the one criterion that falls short; "" where each just reaches its minimum.
    """

    spoiled: str
    steps: tuple[Step, ...]
    weights: int
    overall: Fraction
    threshold: Fraction
    passes: bool

    @property
    def sum(self) -> str:
        """The weighted mean as one writes it down, such as “(2 × 100 % + 1 × 50 %) ÷ 3 = 83.3 %”."""
        parts = " + ".join(f"{step.weight} × {step.percent}" for step in self.steps)
        return f"({parts}) ÷ {self.weights} = {_percent(self.overall)}"

    @property
    def why(self) -> str:
        """What decides, in a sentence."""
        reached = "reaches" if self.overall >= self.threshold else "is below"
        sentence = f"{_percent(self.overall)} {reached} the pass threshold of {_percent(self.threshold)}"
        if any(step.short for step in self.steps):
            joined = "but" if self.overall >= self.threshold else "and"
            return f"{sentence}, {joined} a required criterion is below its minimum: that alone fails it."
        return (
            f"{sentence}, and every required criterion reaches its minimum."
            if self.passes
            else f"{sentence}."
        )


def worked_examples(spec: CriteriaSpec) -> list[Worked]:
    """An output that is just good enough in what is required, and one that is best in all but that."""
    barely = {each.name: _least(each) for each in spec.criteria}
    return [_worked(spec, barely), *_spoiled(spec)]


def _spoiled(spec: CriteriaSpec) -> Iterator[Worked]:
    """Highest everywhere but one step below the minimum of the lightest required one: that alone decides."""
    strict = [each for each in spec.criteria if each.required and _has_room(each)]
    if not strict:
        return
    spoiled = min(strict, key=lambda each: each.weight)
    scores = {each.name: each.scale_max for each in spec.criteria} | {
        spoiled.name: (spoiled.minimum or 0) - 1
    }
    yield _worked(spec, scores, spoiled.name)


def _has_room(criterion: CriterionSpec) -> bool:
    return criterion.minimum is not None and criterion.minimum > criterion.scale_min


def _least(criterion: CriterionSpec) -> int:
    if criterion.required and criterion.minimum is not None:
        return criterion.minimum
    return criterion.scale_min


def _worked(spec: CriteriaSpec, scores: Mapping[str, int], spoiled: str = "") -> Worked:
    steps = tuple(_step(criterion, scores[criterion.name]) for criterion in spec.criteria)
    weights = sum(step.weight for step in steps)
    overall = sum((step.weight * step.share for step in steps), Fraction(0)) / weights
    threshold = Fraction(spec.threshold)
    stands = not any(step.short for step in steps)
    return Worked(spoiled, steps, weights, overall, threshold, stands and overall >= threshold)


def _step(criterion: CriterionSpec, score: int) -> Step:
    return Step(
        name=criterion.name,
        score=score,
        scale_min=criterion.scale_min,
        scale_max=criterion.scale_max,
        share=Fraction(score - criterion.scale_min, criterion.scale_max - criterion.scale_min),
        weight=criterion.weight,
        short=criterion.required and criterion.minimum is not None and score < criterion.minimum,
    )


def _percent(share: Fraction) -> str:
    return f"{float(100 * share):.4g} %"
