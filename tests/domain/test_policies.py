"""The policy that a certificate has to meet until its judge's next run."""

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from judging.domain.certification import Policy
from judging.domain.policies import binding

policies = st.builds(
    Policy,
    bar=st.sampled_from([Decimal("0.5"), Decimal("0.65"), Decimal("0.8")]),
    min_rows=st.integers(0, 99),
    min_per_class=st.integers(0, 9),
    min_coverage=st.sampled_from([Decimal(0), Decimal("0.95"), Decimal(1)]),
    rule=st.sampled_from(["point", "bound"]),
    max_age_days=st.integers(1, 99),
    demand_ordering=st.booleans(),
    demand_human_ceiling=st.booleans(),
)


@given(policies, policies)
def test_nothing_is_demanded_twice_and_nothing_dropped(then: Policy, now: Policy) -> None:
    both = binding(then, now)

    assert binding(both, now) == both == binding(both, then)
    assert both.bar == max(then.bar, now.bar)
    assert both.max_age_days == min(then.max_age_days, now.max_age_days)
    assert (both.rule == "bound") == ("bound" in (then.rule, now.rule))


def test_of_each_demand_the_stricter_and_the_plan_as_it_was() -> None:
    then = Policy(bar=Decimal("0.7"), min_rows=30, rule="bound", max_age_days=10)
    now = Policy(bar=Decimal("0.65"), min_rows=50, max_age_days=30, demand_ordering=True)

    assert binding(then, now) == Policy(
        bar=Decimal("0.7"), min_rows=50, rule="bound", max_age_days=10, demand_ordering=True
    )
