"""A criteria version, a criteria set and its settings, as pages send them."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django import forms
from django.db.models import QuerySet

from labeling.domain.criteria import JUDGE, CriteriaSpec, CriterionSpec, InvalidCriteria, check_criterion
from labeling.domain.rules import RULES
from labeling.forms.json_field import StrictJSONField
from labeling.models import CriteriaSet, CriteriaVersion
from labeling.services.criteria import LARGEST_NUMBER, check_storable, spec_of

MOST_CRITERIA = 50


class ParamsField(StrictJSONField):
    """A rule's parameters as JSON; none are shown as an empty field."""

    def prepare_value(self, value: Any) -> Any:
        return super().prepare_value(value) if value else ""


class CriterionForm(forms.Form):
    """One criterion. Left empty, it is no criterion."""

    name = forms.CharField(max_length=80, help_text="Short; judges answer by it, such as “faithful”.")
    description = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="What a person or a judge shall look for, in a sentence or two.",
    )
    weight = forms.IntegerField(
        initial=1, min_value=1, max_value=LARGEST_NUMBER, help_text="Counts this often in the overall score."
    )
    scale_min = forms.IntegerField(
        label="Lowest score", initial=0, help_text="0 for yes or no, 1 for grades."
    )
    scale_max = forms.IntegerField(
        label="Highest score", initial=1, help_text="1 for yes or no, 5 for grades."
    )
    required = forms.BooleanField(
        required=False, initial=True, help_text="Below its minimum the output fails, whatever else is good."
    )
    minimum = forms.IntegerField(
        required=False, initial=1, help_text="The smallest score that is good enough."
    )
    strategy = forms.ChoiceField(
        label="Scored by",
        initial=JUDGE,
        choices=[(JUDGE, "judge"), *((name, f"rule: {name.replace('_', ' ')}") for name in sorted(RULES))],
        help_text="A rule scores in code where code can decide.",
    )
    params = ParamsField(
        label="Parameters of the rule",
        required=False,
        widget=forms.TextInput,
        help_text='Only for a rule: {"words": 90} for “max words”, {"text": ["…"]} for “includes”.',
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if self.has_changed() and not self.errors and not cleaned.get("DELETE"):
            try:
                check_criterion(criterion_spec(cleaned))
            except InvalidCriteria as invalid:
                self.add_error(None, str(invalid))
        return cleaned

    def clean_params(self) -> Mapping[str, Any]:
        params = self.cleaned_data["params"] or {}
        if not isinstance(params, dict):
            raise forms.ValidationError('Parameters look like {"words": 90}.')
        return params


CriterionFormSet = forms.formset_factory(
    CriterionForm,
    extra=1,
    can_delete=True,
    can_order=True,
    max_num=MOST_CRITERIA,
    absolute_max=MOST_CRITERIA + 1,  # a made-up total must not make a thousand forms
    validate_max=True,
)


class ThresholdForm(forms.Form):
    """What every version has beside its criteria."""

    threshold = forms.DecimalField(
        label="Pass threshold",
        initial="0.7",
        min_value=0,
        max_value=1,
        max_digits=4,
        decimal_places=3,
        help_text="Share of the highest weighted score, from 0 to 1, at which an output passes.",
    )


class VersionForm(ThresholdForm):
    """A version of a set that exists."""

    note = forms.CharField(
        label="What changed and why",
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="For whoever reads the history.",
    )


class NewSetForm(ThresholdForm):
    """A criteria set that is new: its names come before its first version."""

    name = forms.CharField(max_length=200, help_text="As people will read it, such as “Meeting summaries”.")
    slug = forms.SlugField(
        label="Short name", max_length=80, help_text="In addresses and commands, such as meeting-summaries."
    )
    description = forms.CharField(
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Which outputs are judged, and for whom.",
    )
    field_order = ["name", "slug", "description", "threshold"]


class SettingsForm(forms.ModelForm[CriteriaSet]):
    """Settings that hold for every version of a set."""

    class Meta:
        model = CriteriaSet
        fields: ClassVar = [
            "name",
            "description",
            "labels_per_row",
            "on_split",
            "on_skip",
            "public_badge",
        ]
        widgets: ClassVar = {"description": forms.Textarea(attrs={"rows": 2})}
        labels: ClassVar = {
            "labels_per_row": "Labels per row",
            "on_split": "When a panel is split",
            "on_skip": "When a judge is skipped",
            "public_badge": "The badge is public",
        }
        help_texts: ClassVar = {
            "labels_per_row": "By how many people each row is to be labelled; the queue follows.",
            "on_split": "What becomes of an output on which jurors disagree.",
            "on_skip": "“Block” closes the gate to an output that no judge could score.",
            "public_badge": "Whoever knows the address may see certified or uncertified, kappa and n.",
        }


class CarryForm(forms.Form):
    """Which version's labels to carry over, by its number."""

    def __init__(self, data: Mapping[str, Any], *, versions: "QuerySet[CriteriaVersion]") -> None:
        super().__init__(data)
        self.fields["source"] = forms.ModelChoiceField(versions, to_field_name="number")


def criterion_spec(cleaned: Mapping[str, Any]) -> CriterionSpec:
    """The criterion that a cleaned form describes."""
    return CriterionSpec(
        name=cleaned["name"],
        description=cleaned["description"],
        weight=cleaned["weight"],
        required=cleaned["required"],
        scale_min=cleaned["scale_min"],
        scale_max=cleaned["scale_max"],
        minimum=cleaned["minimum"],
        strategy=cleaned["strategy"],
        params=cleaned["params"],
    )


def spec_from(form: ThresholdForm, formset: Any) -> CriteriaSpec | None:
    """The version that valid forms describe, or None with what is wrong written on `form`."""
    if not (form.is_valid() and formset.is_valid()):
        return None
    ordered = [each.cleaned_data for each in formset.ordered_forms if each.cleaned_data]
    spec = CriteriaSpec(tuple(map(criterion_spec, ordered)), form.cleaned_data["threshold"])
    try:
        check_storable(spec)
    except InvalidCriteria as invalid:
        form.add_error(None, str(invalid))
        return None
    return spec


def initial_criteria(version: CriteriaVersion) -> list[dict[str, Any]]:
    """A version's criteria as the formset wants them."""
    return [
        {name: getattr(criterion, name) for name in CriterionForm.base_fields}
        for criterion in spec_of(version).criteria
    ]


def initial_version(version: CriteriaVersion) -> dict[str, Any]:
    """A version's threshold as the form wants it."""
    return {"threshold": version.threshold.normalize()}
