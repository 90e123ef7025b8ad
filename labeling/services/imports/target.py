"""The criteria version that a file's rows belong to: found, or made from the first row."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from labeling.access import AnyUser
from labeling.domain.criteria import CriteriaSpec, CriterionSpec, InvalidCriteria
from labeling.formats.rows import Row, RowProblem, StatedCriterion
from labeling.formats.stated_criteria import stated_spec
from labeling.formats.strict_json import quote
from labeling.models import CriteriaSet, CriteriaVersion, Criterion
from labeling.services.archiving import CLOSED
from labeling.services.criteria import create_criteria_set, spec_of
from labeling.services.imports.report import ImportProblem

MEETS_CRITERIA = CriterionSpec(
    name="meets_criteria", description="The output meets the criteria stated for it.", minimum=1
)


class Target:
    """A criteria version, with what rows are compared with."""

    def __init__(self, version: CriteriaVersion) -> None:
        self.version = version
        self.spec = spec_of(version)
        self.criteria: dict[str, Criterion] = {
            criterion.name: criterion for criterion in version.criteria.all()
        }
        self._accepted: Sequence[StatedCriterion] = ()

    def check_criteria(self, row: Row) -> None:
        """Raise RowProblem where the row states other criteria than the version's."""
        if row.threshold is not None and row.threshold != self.spec.threshold:
            raise RowProblem(
                "threshold", f"The row belongs to the threshold {row.threshold}, {self.version} to another."
            )
        if not row.criteria or row.criteria == self._accepted:
            return
        if not self._states_these(row.criteria):
            raise RowProblem("criteria", self._other_criteria(row.criteria))
        self._accepted = row.criteria

    def _states_these(self, stated: Sequence[StatedCriterion]) -> bool:
        return len(stated) == len(self.spec.criteria) and all(
            getattr(criterion, name) == value
            for criterion, entry in zip(self.spec.criteria, stated, strict=True)
            for name, value in entry.items()
        )

    def _other_criteria(self, stated: Sequence[StatedCriterion]) -> str:
        theirs = ", ".join(entry["name"] for entry in stated)
        ours = ", ".join(self.criteria)
        if theirs == ours:
            return f"The row describes {quote(theirs)} otherwise than {self.version} does: other criteria."
        return f"The row's criteria are {quote(theirs)}, those of {self.version} are {quote(ours)}."

    def check_scores(self, row: Row) -> None:
        """Raise RowProblem where a mark names a criterion that the version lacks."""
        for opinion in row.opinions:
            for name in opinion.scores:
                if name not in self.criteria:
                    raise RowProblem(
                        "scores", f"{quote(name)} is no criterion of {self.version}. Leave the score out."
                    )


def find_target(slug: str) -> Target | None:
    """The live version of the criteria set `slug`, locked against another import; None without such a set."""
    # Not the key itself: labelers and the API go on adding rows that refer to the set.
    locked = CriteriaSet.objects.select_for_update(no_key=True).filter(slug=slug).first()
    if locked is None:
        return None
    if locked.archived_at:
        raise ImportProblem(f"Nothing was imported. {CLOSED}")
    if locked.live_version is None:
        raise ImportProblem(f"The criteria set {slug} has no live version. Promote one, then import.")
    return Target(locked.live_version)


def make_target(slug: str, row: Row, actor: AnyUser | None) -> Target:
    """Make the criteria set `slug` from the criteria of the file's first row."""
    try:
        criteria_set = create_criteria_set(slug=slug, name=slug, spec=_spec_from(row), actor=actor)
    except InvalidCriteria as error:
        raise ImportProblem(f"No criteria set can be made from line {row.line}: {error}") from error
    found = find_target(criteria_set.slug)
    assert found is not None
    return found


def _spec_from(row: Row) -> CriteriaSpec:
    threshold = row.threshold or Decimal("0.7")
    return CriteriaSpec(criteria=tuple(_criteria_from(row)), threshold=threshold)


def _criteria_from(row: Row) -> Iterator[CriterionSpec]:
    if not row.criteria and not row.criteria_text:
        raise InvalidCriteria("the row states no criteria. Add them to it, or make the set first.")
    if not row.criteria:
        yield MEETS_CRITERIA
    for stated in row.criteria:
        yield stated_spec(stated)
