"""A provider's limits."""

from typing import Any

from django import forms

from judging.models import ProviderLimit
from judging.services.providers import Provider, UnknownProvider, set_limits
from labeling.access import AnyUser

_MOST = 2_000_000_000


def _limit(label: str, help_text: str) -> forms.IntegerField:
    return forms.IntegerField(label=label, required=False, min_value=1, max_value=_MOST, help_text=help_text)


class LimitsForm(forms.Form):
    """What may be asked of one provider; a field left empty is no limit."""

    provider = forms.CharField(max_length=200, widget=forms.HiddenInput)
    calls_in_flight = _limit("Calls at a time", "By all workers together. Empty: no limit.")
    requests_per_minute = _limit("Requests a minute", "As the provider's page on rate limits says (RPM).")
    tokens_per_minute = _limit("Tokens a minute", "Of questions and replies together (TPM).")

    @classmethod
    def of(cls, provider: Provider, number: int) -> "LimitsForm":
        """The form as it stands; `number` tells it from the others on the page."""
        limit = provider.limit or ProviderLimit()
        names = ("calls_in_flight", "requests_per_minute", "tokens_per_minute")
        initial = {name: getattr(limit, name) for name in names} | {"provider": provider.name}
        return cls(initial=initial, auto_id=f"provider{number}_%s")

    def save(self, actor: AnyUser) -> bool:
        """Set the limits; False, with what is wrong on the form, where that cannot be."""
        asked: dict[str, Any] = self.cleaned_data
        try:
            set_limits(actor=actor, **asked)
        except UnknownProvider as unknown:
            self.add_error(None, str(unknown))
            return False
        return True
