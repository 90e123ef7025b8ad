"""When a judge may be trusted: a criteria set's certificate policy, as its page sends it."""

import re
from typing import Any, ClassVar

from django import forms

from labeling.domain.criteria import InvalidCriteria
from labeling.models import CriteriaSet
from labeling.services.criteria_settings import check_plan

_LONGEST = 300
_HELP = {
    "looks": (
        "Numbers of scored rows, ascending. The rule decides at the first run with at least so many "
        "rows, once for each look; between looks a certificate may be lost and not won. Each further "
        "look is one more chance for luck, so each has to reach a higher bar than a single look "
        "would. A judge keeps the plan of its first look; a new one counts for those that took none yet."
    ),
    "rule": "What each of the two promises, and what it costs, stands above.",
    "bar": (
        "From 0 to 1. Kappa is agreement with people beyond luck: 0 is luck, 1 is perfect; from 0.65 "
        "it counts as substantial. A higher bar needs a better judge, or more rows to show it."
    ),
    "min_rows": (
        "With fewer scored rows that certify no judge is certified at all. 30 is the least that says "
        "anything; 100 make the answer much surer and cost 70 more labels."
    ),
    "min_per_class": (
        "At least so many rows that people pass and as many that they fail: on rows of one kind "
        "agreement cannot be told from luck. More may mean to go looking for rare failures."
    ),
    "min_coverage": (
        "Share of the rows, from 0 to 1, on which the judge must give a verdict. A judge that leaves "
        "out the hard ones looks better than it is; asking too much refuses one whose provider "
        "failed."
    ),
    "max_age_days": (
        "Models change behind their names. Shorter is safer and costs a calibration run each time; a "
        "certificate that ran out closes its gate."
    ),
    "demand_ordering": (
        "Scores wobble and change scale with the judge, their order should not. Without reference "
        "sets that the judge was run on, no judge is certified then."
    ),
    "demand_human_ceiling": (
        "A judge cannot agree with people better than people agree with each other. This costs second "
        "labels: without them, or where people’s own kappa is below 0.42, nobody is certified."
    ),
    "n_max": (
        "At the last look or later. Here the 5% chance of certifying wrongly is used up; who wants to "
        "go on needs a new plan and fresh rows. The later it ends, the less may be decided early."
    ),
    "audit_share": (
        "From 0 to 1. People label this share of what judges score in live use, blind, so that drift "
        "is seen. 0.05 costs one label for every twenty outputs; with 0 nobody sees drift this way."
    ),
}

_PLAN = ("looks", "n_max")
_BOUNDS = {
    "bar": "The bar for kappa is above 0 and not above 1, such as 0.65.",
    "min_rows": "The scored rows needed are a whole number, 0 or more.",
    "min_per_class": "The rows needed of each human verdict are a whole number, 0 or more.",
    "min_coverage": "The coverage needed is a share from 0 to 1, such as 0.95.",
    "max_age_days": "A certificate holds a day at least.",
    "n_max": "The plan ends at a whole number of rows, 1 or more.",
    "audit_share": "The share of live outputs that people check is from 0 to 1, such as 0.05.",
}


class LooksField(forms.CharField):
    """Numbers of rows in a line: “30, 60, 100”."""

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(map(str, value)) if isinstance(value, list) else value

    def clean(self, value: Any) -> Any:
        text: str = super().clean(value)
        words = [word for word in re.split(r"[,;\s]+", text) if word]
        if not all(word.isascii() and word.isdecimal() and len(word) < 9 for word in words):
            raise forms.ValidationError("Write whole numbers with commas between them, such as 30, 60, 100.")
        return [int(word) for word in words]

    def has_changed(self, initial: Any, data: Any) -> bool:
        return super().has_changed(self.prepare_value(initial), data)


class PolicyForm(forms.ModelForm[CriteriaSet]):
    """What a judge has to show before it may gate."""

    looks = LooksField(
        label="Looks of the rule “bound”",
        max_length=_LONGEST,
        help_text=_HELP["looks"],
    )

    class Meta:
        model = CriteriaSet
        fields: ClassVar = [
            "rule",
            "bar",
            "min_rows",
            "min_per_class",
            "min_coverage",
            "max_age_days",
            "demand_human_ceiling",
            "demand_ordering",
            "looks",
            "n_max",
            "audit_share",
        ]
        labels: ClassVar = {
            "rule": "A judge is certified when",
            "bar": "Bar for kappa",
            "min_rows": "Scored rows needed",
            "min_per_class": "Rows needed of each human verdict",
            "min_coverage": "Coverage needed",
            "max_age_days": "Days until a certificate expires",
            "demand_ordering": "Demand that answers known to be better are scored higher",
            "demand_human_ceiling": "Demand that people agree with each other",
            "n_max": "Rows at which the plan ends",
            "audit_share": "Share of live outputs that people check too",
        }
        help_texts: ClassVar = _HELP
        error_messages: ClassVar = {
            name: {"min_value": words, "max_value": words} for name, words in _BOUNDS.items()
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        rule = self.fields["rule"]
        assert isinstance(rule, forms.ChoiceField)
        rule.choices = [
            ("point", "point: its kappa on the scored rows reaches the bar"),
            ("bound", "bound: it is shown, 95% sure, that its kappa is above the bar"),
        ]

    @property
    def above_plan(self) -> list[forms.BoundField]:
        return [field for field in self if field.name not in (*_PLAN, "audit_share")]

    @property
    def plan(self) -> list[forms.BoundField]:
        """What counts by the rule `bound` alone."""
        return [self[name] for name in _PLAN]

    @property
    def folds_plan(self) -> bool:
        """Whether the plan may be folded away: another rule is chosen, and nothing is wrong with the plan."""
        return self["rule"].value() != CriteriaSet.Rule.BOUND and not any(self[name].errors for name in _PLAN)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if "looks" in cleaned and "n_max" in cleaned:
            try:
                check_plan(cleaned["looks"], cleaned["n_max"])
            except InvalidCriteria as invalid:
                self.add_error("looks", str(invalid))
        return cleaned
