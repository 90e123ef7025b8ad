"""A criteria version as plain values: what the judge, the prompt and the aggregation need to know of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

from labeling.domain.rules import InvalidParams, UnknownStrategy, find_rule

JUDGE = "judge"


class InvalidCriteria(ValueError):
    """A criteria version that cannot be judged by; the text says what to correct.

    `field`: the name of what is wrong about a criterion, where it is one thing, and `problem` says what by
    itself.
    """

    def __init__(self, sentence: str, *, field: str = "", problem: str = "") -> None:
        super().__init__(sentence)
        self.field, self.problem = field, problem or sentence


@dataclass(frozen=True, slots=True)
class CriterionSpec:
    """One criterion, scored in whole numbers from `scale_min` to `scale_max`; strategy "judge" or a rule."""

    name: str
    description: str
    weight: int = 1
    required: bool = True
    scale_min: int = 0
    scale_max: int = 1
    minimum: int | None = None
    strategy: str = JUDGE
    params: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CriteriaSpec:
    """All criteria of a version, in their order, and the share of 0–1 at which a candidate passes."""

    criteria: tuple[CriterionSpec, ...]
    threshold: Decimal | Fraction = Decimal("0.7")

    @property
    def judged(self) -> tuple[CriterionSpec, ...]:
        """The criteria that a judge is asked about; the others are scored in code."""
        return tuple(criterion for criterion in self.criteria if criterion.strategy == JUDGE)


def check_criteria(spec: CriteriaSpec) -> None:
    """Raise `InvalidCriteria` with one sentence when a version is incomplete or contradicts itself."""
    if not spec.judged:
        raise InvalidCriteria("At least one criterion must have the strategy “judge”; add one.")
    if not 0 < spec.threshold <= 1:
        raise InvalidCriteria(f"The pass threshold must be above 0 and at most 1, not {spec.threshold}.")
    _check_names([criterion.name for criterion in spec.criteria])
    for criterion in spec.criteria:
        check_criterion(criterion)


def _check_names(names: Sequence[str]) -> None:
    for name in names:
        if not name or name != name.strip() or not name.isprintable():
            raise InvalidCriteria(f"The criterion name {name!r} is empty or holds characters nobody can see.")
        if names.count(name) > 1:
            raise InvalidCriteria(f"Two criteria are called “{name}”; give each its own name.")


def check_criterion(criterion: CriterionSpec) -> None:
    """Raise `InvalidCriteria` with one sentence when one criterion by itself cannot be scored."""
    if found := _scale_problem(criterion) or _strategy_problem(criterion):
        field, problem = found
        sentence = f"Criterion “{criterion.name}”: {problem}"
        raise InvalidCriteria(sentence, field=field, problem=problem[:1].upper() + problem[1:])


type _Problem = tuple[str, str]  # what is wrong, by its name, and how


def _scale_problem(criterion: CriterionSpec) -> _Problem | None:
    if not criterion.description.strip():
        return "description", "it has no description; say what a judge shall look for."
    if criterion.weight < 1:
        return "weight", f"its weight must be a whole number of at least 1, not {criterion.weight}."
    if criterion.scale_min >= criterion.scale_max:
        scale = f"{criterion.scale_min} to {criterion.scale_max}"
        return "scale_max", f"its scale must rise, and {scale} does not."
    if criterion.required and criterion.minimum is None:
        return "minimum", "it is required but has no minimum; say the smallest score that is good enough."
    if criterion.minimum is not None and not criterion.scale_min <= criterion.minimum <= criterion.scale_max:
        scale = f"{criterion.scale_min} to {criterion.scale_max}"
        return "minimum", f"its minimum {criterion.minimum} is outside its scale {scale}."
    return None


def _strategy_problem(criterion: CriterionSpec) -> _Problem | None:
    if criterion.strategy == JUDGE:
        problem = "only a rule takes parameters; remove them or name a rule."
        return ("params", problem) if criterion.params else None
    try:
        find_rule(criterion.strategy).check(criterion.params)
    except UnknownStrategy as unknown:
        return "strategy", str(unknown)
    except InvalidParams as invalid:
        return "params", f"the rule “{criterion.strategy}” {invalid}."
    return None
