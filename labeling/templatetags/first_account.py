"""`{% first_account %}`: on the login page of an installation that has no account, how to make one."""

from django import template
from django.contrib.auth.models import User

register = template.Library()


@register.inclusion_tag("labeling/first_account.html")
def first_account() -> dict[str, bool]:
    """Says nothing once there is any account."""
    return {"nobody": not User.objects.exists()}
