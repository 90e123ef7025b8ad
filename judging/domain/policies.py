"""Two policies at once: the one that a certificate was decided by, and the one that holds now."""

from dataclasses import replace

from judging.domain.certification import Policy

_RULES = ("point", "bound")  # the stricter last


def binding(then: Policy, now: Policy) -> Policy:
    """What a certificate has to meet until its judge's next run: of each demand the stricter.

    What became laxer counts from the next run on. The plan of looks stays the one that the rows were scored
    under: chosen afterwards, looks prove nothing.
    """
    return replace(
        then,
        rule=max(then.rule, now.rule, key=_RULES.index),
        bar=max(then.bar, now.bar),
        min_rows=max(then.min_rows, now.min_rows),
        min_per_class=max(then.min_per_class, now.min_per_class),
        min_coverage=max(then.min_coverage, now.min_coverage),
        max_age_days=min(then.max_age_days, now.max_age_days),
        demand_ordering=then.demand_ordering or now.demand_ordering,
        demand_human_ceiling=then.demand_human_ceiling or now.demand_human_ceiling,
    )
