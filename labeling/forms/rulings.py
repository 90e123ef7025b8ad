"""A ruling as the page sends it."""

from django import forms


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
