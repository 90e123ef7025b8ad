"""A criteria version and a criteria set, as pages send them."""

from typing import Any

from django import forms

from labeling.domain.criteria import CriteriaSpec, InvalidCriteria
from labeling.forms.criterion import criterion_spec, initial_criterion
from labeling.models import CriteriaVersion
from labeling.services.criteria import check_storable, spec_of


class ThresholdForm(forms.Form):
    """What every version has beside its criteria."""

    threshold = forms.DecimalField(
        label="Pass threshold",
        initial="0.7",
        min_value=0,
        max_value=1,
        max_digits=4,
        decimal_places=3,
        help_text="Share of the highest weighted score, from 0 to 1, at which an output passes. Where every "
        "criterion is yes or no and required it decides nothing: each must be met anyway.",
        error_messages={"required": "Say from which share of the highest score on an output passes."},
    )


class VersionForm(ThresholdForm):
    """A version of a set that exists. `newest`: number of the newest one when the editor was opened."""

    newest = forms.IntegerField(required=False, widget=forms.HiddenInput, min_value=1)
    note = forms.CharField(
        label="What changed and why",
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="For whoever reads the history.",
    )


class NewSetForm(ThresholdForm):
    """A criteria set that is new: its names come before its first version."""

    name = forms.CharField(
        max_length=200,
        help_text="As people will read it, such as “Meeting summaries”.",
        error_messages={"required": "Give the criteria set a name."},
    )
    slug = forms.SlugField(
        label="Short name",
        max_length=80,
        help_text="In addresses and commands, such as meeting-summaries.",
        error_messages={"required": "Give it a short name for addresses."},
    )
    description = forms.CharField(
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Which outputs are judged, and for whom.",
    )
    field_order = ["name", "slug", "description", "threshold"]


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
    return [initial_criterion(criterion) for criterion in spec_of(version).criteria]


def initial_version(version: CriteriaVersion) -> dict[str, Any]:
    """A version's threshold as the form wants it, and which version is the newest now."""
    newest = version.criteria_set.versions.order_by("-number").values_list("number", flat=True)[0]
    return {"threshold": f"{version.threshold.normalize():f}", "newest": newest}
