"""Where to send messages."""

from typing import Any

from django import forms

from judging.services.targets import LONGEST, NotAllowed, target_of
from labeling.access import AnyUser


class WebhookForm(forms.Form):
    """An address, and a word about it. Who administers everything may have it told of every criteria set."""

    url = forms.CharField(
        label="Address",
        max_length=LONGEST,
        widget=forms.URLInput(attrs={"autocomplete": "off", "placeholder": "https://example.org/hooks/vera"}),
        help_text="Where your server takes a POST request. It must be open to the internet.",
    )
    description = forms.CharField(
        label="What it is for",
        max_length=200,
        required=False,
        help_text="For the people who read this page, such as “stops the nightly release”.",
    )
    every_set = forms.BooleanField(
        label="Tell it of every criteria set, not only of this one",
        required=False,
        help_text="Only administrators are offered this. Leads of the sets do not see such a webhook.",
    )

    def __init__(self, *args: Any, user: AnyUser, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not user.is_superuser:
            del self.fields["every_set"]

    def clean_url(self) -> str:
        url: str = self.cleaned_data["url"]
        try:
            target_of(url)
        except NotAllowed as refused:
            raise forms.ValidationError(str(refused)) from None
        return url

    def clean_description(self) -> str:
        said = " ".join(str(self.cleaned_data["description"]).split())
        if not said.isprintable():
            raise forms.ValidationError("This has characters that nobody can see: leave them out.")
        return said
