"""The forms of a labeler's history: which of their labels to list, and a label put right."""

from collections.abc import Mapping
from typing import Any

from django import forms

from labeling.forms.label import TypedForm, mark_field
from labeling.models import Label, Verdict

SKIPPED = "skipped"


class HistoryFilter(forms.Form):
    """Narrows the list. Every field may be left out."""

    verdict = forms.ChoiceField(
        label="You said", choices=[("", "either"), *Verdict.choices, (SKIPPED, "skipped")], required=False
    )
    text = forms.CharField(label="Text", required=False, max_length=200)

    def asked(self) -> dict[str, str]:
        """What is asked for; nonsense asks for nothing."""
        return {name: self.cleaned_data.get(name, "") for name in self.fields} if self.is_valid() else {}


class EditForm(TypedForm):
    """A label as it stands, to be put right."""

    verdict = forms.ChoiceField(
        label="Verdict",
        choices=Verdict.choices,
        widget=forms.RadioSelect,
        error_messages={"required": "Choose pass or fail."},
    )

    def __init__(self, label: Label, data: Mapping[str, Any] | None = None) -> None:
        marks = {mark_field(mark.criterion): mark.score for mark in label.marks.all()}
        super().__init__(
            label.version, data, initial={**marks, "comment": label.comment, "verdict": label.verdict}
        )
