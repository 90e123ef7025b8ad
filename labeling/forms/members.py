"""Adding somebody to a criteria set."""

from django import forms
from django.contrib.auth.models import User

from labeling.models import Membership


class MemberForm(forms.Form):
    """A user by name, and the role to give."""

    user = forms.ModelChoiceField(
        User.objects.filter(is_active=True),
        to_field_name="username",
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"}),
        label="User name",
        help_text="Of an account that exists; an administrator adds accounts.",
        error_messages={
            "invalid_choice": "There is no user of that name. Check it; an administrator adds accounts."
        },
    )
    role = forms.ChoiceField(
        choices=Membership.Role.choices,
        help_text="A labeler labels; a lead also writes criteria, imports, rules and runs judges.",
    )
