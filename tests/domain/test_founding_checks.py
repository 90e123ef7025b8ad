"""What the founding note asks of every judge: order, and no pass for who breaks a required criterion."""

from hypothesis import given
from hypothesis import strategies as st

from judging.domain.aggregation import JurorVerdict, juror_verdict, panel_verdict
from judging.domain.ordering import Placed, violations
from judging.domain.verdicts import Outcome, Score
from labeling.domain.criteria import CriteriaSpec, CriterionSpec

_SCALES = [(0, 1), (1, 5), (-2, 2)]


@st.composite
def specs(draw: st.DrawFn) -> CriteriaSpec:
    """Criteria of many weights and scales, the first one required, under any threshold."""
    criteria = []
    for number in range(draw(st.integers(1, 5))):
        low, high = draw(st.sampled_from(_SCALES))
        required = number == 0 or draw(st.booleans())
        minimum = draw(st.integers(low + 1, high)) if required else None
        criteria.append(
            CriterionSpec(
                name=f"c{number}",
                description="It holds.",
                weight=draw(st.integers(1, 100)),
                required=required,
                scale_min=low,
                scale_max=high,
                minimum=minimum,
            )
        )
    return CriteriaSpec(tuple(criteria), draw(st.decimals("0.001", "1", places=3)))


def scored(spec: CriteriaSpec, scores: list[int]) -> JurorVerdict:
    given_scores = [Score(each.name, score, "") for each, score in zip(spec.criteria, scores, strict=True)]
    return juror_verdict(spec, given_scores)


def placed(name: str, good: bool, verdict: JurorVerdict) -> Placed:
    return Placed(name, good, verdict.overall, verdict.outcome is Outcome.PASS)


@given(specs(), st.data())
def test_who_satisfies_comes_before_who_violates(spec: CriteriaSpec, data: st.DataObject) -> None:
    best = [each.scale_max for each in spec.criteria]
    broken = data.draw(st.integers(0, len(best) - 1))
    worse = [
        data.draw(st.integers(each.scale_min, each.scale_max - (number == broken)))
        for number, each in enumerate(spec.criteria)
    ]

    satisfying, violating = scored(spec, best), scored(spec, worse)

    assert satisfying.outcome is Outcome.PASS
    assert violations([placed("good", True, satisfying), placed("bad", False, violating)]) == ()
    assert violations([placed("good", True, violating), placed("bad", False, satisfying)])


@given(specs(), st.data())
def test_who_breaks_a_required_criterion_never_passes(spec: CriteriaSpec, data: st.DataObject) -> None:
    scores = [data.draw(st.integers(each.scale_min, each.scale_max)) for each in spec.criteria]
    first = spec.criteria[0]
    assert first.minimum is not None
    scores[0] = data.draw(st.integers(first.scale_min, first.minimum - 1))

    found = scored(spec, scores)
    panel = panel_verdict([found] * data.draw(st.integers(1, 5)))

    assert found.outcome is Outcome.FAIL
    assert "c0" in found.failed
    assert panel.outcome is Outcome.FAIL
