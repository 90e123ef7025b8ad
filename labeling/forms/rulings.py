"""A ruling and a row put back, as the page sends them, and which rows the page shows."""

from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.db.models import QuerySet

FILES = "files"  # in place of a person's id: rulings that came with an imported file


class RulingForm(forms.Form):
    """Pass or fail (by which button was pressed), why, and which ruling stood when the page was made."""

    verdict = forms.ChoiceField(
        choices=[("pass", "pass"), ("fail", "fail")],
        error_messages={
            "required": "Press Rule pass or Rule fail.",
            "invalid_choice": "A ruling is pass or fail.",
        },
    )
    reason = forms.CharField(
        label="Why",
        widget=forms.Textarea(attrs={"rows": 2}),
        max_length=10_000,
        error_messages={"required": "Say in a sentence why; the next lead will want to know."},
    )
    seen = forms.IntegerField(required=False, min_value=1, widget=forms.HiddenInput)


class PutBackForm(forms.Form):
    """What a lead did about a row before it goes back to the labelers."""

    note = forms.CharField(
        label="What was done, for the log",
        widget=forms.TextInput(attrs={"placeholder": "criteria made clear"}),
        max_length=1_000,
        required=False,
    )


class RulingsFilter(forms.Form):
    """Which rows the page lists; nonsense lists what waits."""

    WAITING, CONFLICTS, PASSED, RULED = "", "conflicts", "passed", "ruled"

    show = forms.ChoiceField(
        choices=[(WAITING, ""), (CONFLICTS, ""), (PASSED, ""), (RULED, "")],
        required=False,
        widget=forms.HiddenInput,
    )
    by = forms.ChoiceField(label="Ruled by", required=False)

    def __init__(self, data: Any, *, rulers: "QuerySet[User]", files: bool) -> None:
        """`rulers`: who ruled under the version; `files`: whether a file did."""
        super().__init__(data)
        people = [(str(user.pk), user.username) for user in rulers]
        self.fields["by"].choices = [  # type: ignore[attr-defined]
            ("", "anybody"),
            *people,
            *([(FILES, "imported files")] if files else []),
        ]

    @property
    def shown(self) -> str:
        """Which of the four lists."""
        self.is_valid()
        return str(self.cleaned_data.get("show", ""))

    @property
    def ruled_by(self) -> str:
        """A user's id, `FILES`, or "" for anybody."""
        self.is_valid()
        return str(self.cleaned_data.get("by", ""))
