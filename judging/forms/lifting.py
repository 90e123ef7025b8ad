"""Lifting a suspension: a lead says why."""

from django import forms


class LiftForm(forms.Form):
    """The reason stays in the history for good."""

    reason = forms.CharField(
        label="Why may it gate again?",
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="It stays in the history, with your name, for whoever asks later.",
        error_messages={"required": "Say why the suspension is lifted: whoever reads the history will ask."},
    )
