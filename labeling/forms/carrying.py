"""Which rows' labels to carry over to another version, and why."""

from typing import Any

from django import forms
from django.db.models import QuerySet

from labeling.models import CriteriaVersion
from vera_site.http import whole

WORDING = "wording"
REASONS = [
    (WORDING, "Wording only: what the criteria ask for has not changed"),
    ("own", "For another reason:"),
]
WORDING_WORDS = "Wording only: what the criteria ask for has not changed."


class SourceForm(forms.Form):
    """The version whose labels are looked at, by its number."""

    def __init__(self, data: Any, *, versions: "QuerySet[CriteriaVersion]") -> None:
        super().__init__(data)
        self.fields["source"] = forms.ModelChoiceField(
            versions, to_field_name="number", label="From version", empty_label=None
        )


class CarryForm(forms.Form):
    """Which rows, all or those that are ticked, and why what was said of them still holds."""

    which = forms.ChoiceField(choices=[("all", "all"), ("chosen", "chosen")])
    reason = forms.ChoiceField(
        label="Why does what was said still hold?",
        choices=REASONS,
        initial=WORDING,
        widget=forms.RadioSelect,
        error_messages={"required": "Say why what was said still holds."},
    )
    words = forms.CharField(label="In your own words", required=False, max_length=500)
    rows = forms.TypedMultipleChoiceField(coerce=int, required=False)

    def __init__(self, data: Any = None, *, ids: list[str] | None = None) -> None:
        super().__init__(data)
        field = self.fields["rows"]
        assert isinstance(field, forms.TypedMultipleChoiceField)
        field.choices = [(each, each) for each in ids or [] if whole(each)]

    def begin_with(self, *, wording_only: bool) -> None:
        """Offer “wording only” first and chosen where the wording is all that changed, else last."""
        self.initial["reason"] = WORDING if wording_only else ""
        field = self.fields["reason"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = REASONS if wording_only else REASONS[::-1]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("reason") == "own" and not cleaned.get("words", "").strip():
            self.add_error("words", "Say in a sentence why what was said still holds; others will ask.")
        if cleaned.get("which") == "chosen" and not cleaned.get("rows"):
            self.add_error(None, "Tick the rows whose labels are to be carried over, or carry over all.")
        return cleaned

    @property
    def why(self) -> str:
        """The reason as it is kept."""
        own: str = self.cleaned_data["words"].strip()
        return WORDING_WORDS if self.cleaned_data["reason"] == WORDING else own

    @property
    def chosen(self) -> list[int] | None:
        """Ids of the ticked rows; None for all."""
        return None if self.cleaned_data["which"] == "all" else list(self.cleaned_data["rows"])
