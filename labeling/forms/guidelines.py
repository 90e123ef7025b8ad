"""The guidelines with their examples, as the page sends them."""

from typing import Any

from django import forms

from labeling.domain.content import text_problem
from labeling.models import Guidelines, Verdict
from labeling.services.guidelines import LONGEST, MOST_EXAMPLES, Example, examples_of


def _area(rows: int) -> forms.Textarea:
    return forms.Textarea(attrs={"rows": rows})


class StorableField(forms.CharField):
    """A text that is kept as it was typed, or a sentence on why it cannot be."""

    def to_python(self, value: Any) -> str:
        text: str = (super().to_python(value) or "").replace("\r\n", "\n")
        if problem := text_problem(text):
            raise forms.ValidationError(problem)
        return text


class GuidelinesForm(forms.Form):
    """The text. `seen`: number of the state that the page showed, 0 for none."""

    seen = forms.IntegerField(required=False, min_value=0, widget=forms.HiddenInput)
    text = StorableField(
        label="What labelers should know",
        required=False,
        max_length=LONGEST,
        strip=False,
        widget=_area(12),
        help_text="An empty line begins a new paragraph. A line that begins with “# ” is a heading, one with "
        "“- ” an item of a list.",
    )


class ExampleForm(forms.Form):
    """One example. Left empty, it is none."""

    request = StorableField(
        required=False, max_length=LONGEST, strip=False, widget=_area(2), help_text="May be left out."
    )
    output = StorableField(
        max_length=LONGEST,
        strip=False,
        widget=_area(3),
        error_messages={"required": "Write the output that is judged here, or take the example out."},
    )
    verdict = forms.ChoiceField(
        choices=[("", "choose…"), *Verdict.choices],
        error_messages={"required": "Choose pass or fail for this example."},
    )
    why = StorableField(
        label="Why",
        max_length=LONGEST,
        widget=_area(2),
        help_text="In a sentence, so that one can decide the next row like it.",
        error_messages={"required": "Say in a sentence why."},
    )
    candidate = forms.IntegerField(required=False, min_value=1, widget=forms.HiddenInput)

    @property
    def example(self) -> Example:
        """The example that a valid form describes."""
        return Example(**{name: self.cleaned_data[name] for name in ExampleForm.base_fields})


class ExamplesFormSet(forms.BaseFormSet[ExampleForm]):
    """The examples in their order, without those that were taken out or left empty."""

    @property
    def examples(self) -> list[Example]:
        kept = [each for each in self.forms if each not in self.deleted_forms and each.has_changed()]
        return [each.example for each in kept if each.cleaned_data]


ExampleFormSet = forms.formset_factory(
    ExampleForm,
    formset=ExamplesFormSet,
    extra=0,
    can_delete=True,
    max_num=MOST_EXAMPLES,
    absolute_max=MOST_EXAMPLES + 1,
    validate_max=True,
)


def initial_examples(guidelines: Guidelines | None) -> list[dict[str, Any]]:
    """The examples of a state as the formset wants them."""
    return [initial_example(each) for each in examples_of(guidelines)] if guidelines else []


def initial_example(example: Example) -> dict[str, Any]:
    """One example as its form wants it."""
    return {name: getattr(example, name) for name in ExampleForm.base_fields}
