"""Which two sides to compare: chosen by a form that only asks, so that its address can be passed on."""

from collections.abc import Sequence
from typing import Any

from django import forms

type Choices = Sequence[tuple[str, str]]


class CriteriaForm(forms.Form):
    """On which criteria, and whether judges or generators."""

    criteria = forms.ChoiceField(label="On the criteria")
    what = forms.ChoiceField(
        label="Compare",
        required=False,
        choices=[
            ("judges", "two judges, by who says what people say"),
            ("generators", "two generators, by one judge"),
        ],
    )

    def __init__(self, *args: Any, criteria: Choices, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offer(self, "criteria", criteria)


class JudgesForm(forms.Form):
    """Two measured judges, and on which rows."""

    before = forms.ChoiceField(label="Before")
    after = forms.ChoiceField(label="After")
    rows = forms.ChoiceField(
        label="Rows",
        required=False,
        choices=[("", "that certify"), ("tune", "for tuning (free to look at)")],
    )

    def __init__(self, *args: Any, sides: Choices, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offer(self, "before", [("", "Choose one"), *sides])
        offer(self, "after", [("", "Choose one"), *sides])


class GeneratorsForm(forms.Form):
    """Two generators, and the judge that says which of their outputs pass."""

    judge = forms.ChoiceField(label="By the judge")
    before = forms.ChoiceField(label="Before")
    after = forms.ChoiceField(label="After")

    def __init__(self, *args: Any, judges: Choices, generators: Choices, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offer(self, "judge", judges)
        offer(self, "before", generators)
        offer(self, "after", generators)


def offer(form: forms.Form, name: str, choices: Choices) -> None:
    """Let a field choose among these."""
    field = form.fields[name]
    assert isinstance(field, forms.ChoiceField)
    field.choices = list(choices)
    field.error_messages["required"] = "Choose one of them."
    field.error_messages["invalid_choice"] = "“%(value)s” is not there to be compared. Choose another."
