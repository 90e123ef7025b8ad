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
OWN_TRUTHS = [("", "any"), ("pass", "pass"), ("fail", "fail"), ("none", "not labelled by you")]
SPLITS = [("", "both"), ("certify", "certifying"), ("tune", "tuning")]


class GoldenFilter(forms.Form):
    """Narrows the list. Every field may be left out.

    Who does not see all (a labeler) may ask for a verdict among the rows of their own label only, and where
    others' labels are not shown (`shows_others`) for their own verdict alone.
    """

    truth = forms.ChoiceField(label="Human verdict", choices=TRUTHS, required=False)
    split = forms.ChoiceField(label="For", choices=SPLITS, required=False)
    text = forms.CharField(label="Text", required=False, max_length=200)

    def __init__(self, data: Any, *, sees_all: bool, shows_others: bool) -> None:
        super().__init__(data)
        self.sees_all, self.shows_others = sees_all, shows_others
        truth = self.fields["truth"]
        assert isinstance(truth, forms.ChoiceField)
        if not sees_all:
            truth.choices = OWN_TRUTHS if not shows_others else [*TRUTHS[:-1], OWN_TRUTHS[-1]]
        if not shows_others:
            truth.label = "Your verdict"

    def narrow(self, rows: "QuerySet[Any]") -> "QuerySet[Any]":
        """Those of `rows`, which have `truth` and `mine`, that are asked for; none for an invalid form."""
        if not self.is_valid():
            return rows.none()
        asked = self.cleaned_data
        if asked["split"]:
            rows = rows.filter(split=asked["split"])
        if asked["text"]:
            rows = rows.filter(Q(request__icontains=asked["text"]) | Q(output__icontains=asked["text"]))
        return rows.filter(**self._of_verdict(asked["truth"])) if asked["truth"] else rows

    def _of_verdict(self, word: str) -> dict[str, Any]:
        """What to look for, without giving away more than the list itself shows."""
        field = "truth" if self.sees_all else "mine"
        if word == "none":
            return {f"{field}__isnull": True}
        if not self.shows_others:
            return {"mine": word}
        return {"truth": word} if self.sees_all else {"truth": word, "mine__isnull": False}
