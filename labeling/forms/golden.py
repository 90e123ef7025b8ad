"""Which rows of a golden set to list."""

from typing import Any

from django import forms
from django.db.models import Q, QuerySet

TRUTHS = [
    ("", "any"),
    ("pass", "pass"),
    ("fail", "fail"),
    ("unresolved", "unresolved"),
    ("none", "no verdict yet"),
]
SPLITS = [("", "both"), ("certify", "certifying"), ("tune", "tuning")]


class GoldenFilter(forms.Form):
    """Narrows the list. Every field may be left out."""

    truth = forms.ChoiceField(label="Human verdict", choices=TRUTHS, required=False)
    split = forms.ChoiceField(label="For", choices=SPLITS, required=False)
    text = forms.CharField(label="Text", required=False, max_length=200)

    def narrow(self, rows: "QuerySet[Any]") -> "QuerySet[Any]":
        """Those of `rows` (annotated with `truth`) that are asked for; none where the form is invalid."""
        if not self.is_valid():
            return rows.none()
        asked = self.cleaned_data
        if asked["split"]:
            rows = rows.filter(split=asked["split"])
        if asked["text"]:
            rows = rows.filter(Q(request__icontains=asked["text"]) | Q(output__icontains=asked["text"]))
        if asked["truth"] == "none":
            return rows.filter(truth=None)
        return rows.filter(truth=asked["truth"]) if asked["truth"] else rows

    @property
    def asks_for_a_verdict(self) -> bool:
        """Whether the list would give away how its rows were decided."""
        return self.is_valid() and self.cleaned_data["truth"] in {"pass", "fail", "unresolved"}
