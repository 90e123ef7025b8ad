"""`{% demo_accounts %}` on the login page: the demo's accounts, one click each; nothing anywhere else."""

from typing import Any

from django import template
from django.conf import settings
from django.urls import reverse

from demo.example import LOGINS, STORY

register = template.Library()


@register.inclusion_tag("demo/accounts.html", takes_context=True)
def demo_accounts(context: dict[str, Any]) -> dict[str, Any]:
    """The accounts with where each begins: a lead with the story, a labeler with the first row."""
    if not settings.VERA_DEMO:
        return {"accounts": []}
    starts = {"labeler": reverse("label", args=[STORY])}
    accounts = [(login, starts.get(login.role, reverse("demo_story"))) for login in LOGINS]
    return {"accounts": accounts, "request": context.get("request"), "csrf_token": context.get("csrf_token")}
