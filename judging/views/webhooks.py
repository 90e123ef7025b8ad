"""Webhooks of a criteria set: where messages go, what was sent, and sending it again."""

import json
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.db.models import Count, Max, Q, QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from judging.domain.webhook_events import MOST_TRIES
from judging.forms.webhooks import WebhookForm
from judging.models import Delivery, Webhook
from judging.services.webhooks import (
    CannotSend,
    add_webhook,
    change_secret,
    delete_webhook,
    replay,
    send_test,
    show_secret,
    switch_webhook,
)
from judging.services.workers import workers_seen
from judging.tasks import send_messages
from labeling.access import AnyUser, get_led_set
from labeling.models import CriteriaSet
from labeling.views.scope import head, page_of
from vera_site.http import Request

_PER_PAGE = 25


@dataclass(frozen=True, slots=True)
class ShownWebhook:
    """A webhook with its newest message and how many were given up and wait."""

    webhook: Webhook
    last: Delivery | None
    waiting: int
    failed: int


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def webhooks(request: Request, slug: str) -> HttpResponse:
    """The addresses that are told of the set's certificates, and a form to add one."""
    criteria_set = get_led_set(request.user, slug)
    form = WebhookForm(request.POST or None, user=request.user)
    if request.method == "POST" and form.is_valid():
        made = _add(form, criteria_set, request.user)
        messages.success(request, "The webhook is there. Set up its receiver with its secret, then test it.")
        return redirect("webhook", slug, made.pk)
    page = page_of(_visible(request.user, criteria_set), request, _PER_PAGE)
    context = _head(request, criteria_set) | {"form": form, "page": page, "shown": _shown(list(page))}
    return render(request, "judging/webhooks.html", context, status=422 if form.errors else 200)


def _add(form: WebhookForm, criteria_set: CriteriaSet, actor: AnyUser) -> Webhook:
    return add_webhook(
        url=form.cleaned_data["url"],
        description=form.cleaned_data["description"],
        criteria_set=None if form.cleaned_data.get("every_set") else criteria_set,
        actor=actor,
    )


def _visible(user: AnyUser, criteria_set: CriteriaSet) -> QuerySet[Webhook]:
    """Those of the set; for administrators also those that are told of every set."""
    wider = Q(criteria_set=None) if user.is_superuser else Q(pk=None)
    return Webhook.objects.filter(Q(criteria_set=criteria_set) | wider).select_related("created_by")


def _head(request: Request, criteria_set: CriteriaSet) -> dict[str, Any]:
    context = head(request.user, criteria_set, "settings")
    return context | {"no_worker": not workers_seen(timezone.now()), "most_tries": MOST_TRIES}


def _shown(found: list[Webhook]) -> list[ShownWebhook]:
    sent = Delivery.objects.filter(webhook__in=found).order_by().values("webhook")
    counts = {
        each["webhook"]: each
        for each in sent.annotate(
            waiting=Count("pk", filter=Q(state=Delivery.State.WAITING)),
            failed=Count("pk", filter=Q(state=Delivery.State.FAILED)),
        )
    }
    newest = {each.webhook_id: each for each in _newest(found)}
    nothing = {"waiting": 0, "failed": 0}
    return [
        ShownWebhook(each, newest.get(each.pk), counted["waiting"], counted["failed"])
        for each in found
        for counted in [counts.get(each.pk, nothing)]
    ]


def _newest(found: list[Webhook]) -> QuerySet[Delivery]:
    of_each = (
        Delivery.objects.filter(webhook__in=found).order_by().values("webhook").annotate(newest=Max("pk"))
    )
    return Delivery.objects.filter(pk__in=of_each.values("newest"))


def _get(request: Request, slug: str, pk: int) -> tuple[CriteriaSet, Webhook]:
    criteria_set = get_led_set(request.user, slug)
    return criteria_set, get_object_or_404(_visible(request.user, criteria_set), pk=pk)


@login_required
@require_safe
def webhook(request: Request, slug: str, pk: int) -> HttpResponse:
    """One webhook with the log of its messages."""
    criteria_set, found = _get(request, slug, pk)
    return _page(request, criteria_set, found)


def _page(request: Request, criteria_set: CriteriaSet, found: Webhook, **more: Any) -> HttpResponse:
    page = page_of(found.deliveries.select_related("replay_of"), request, _PER_PAGE)
    both = found.previous_until and found.previous_until > timezone.now()
    context = _head(request, criteria_set) | {"webhook": found, "page": page, "both": both} | more
    return render(request, "judging/webhook.html", context)


@login_required
@require_POST
def webhook_secret(request: Request, slug: str, pk: int) -> HttpResponse:
    """The page with the secret on it; that it was shown is recorded."""
    criteria_set, found = _get(request, slug, pk)
    return _page(request, criteria_set, found, secret=show_secret(webhook=found, actor=request.user))


@login_required
@require_POST
def webhook_new_secret(request: Request, slug: str, pk: int) -> HttpResponse:
    """Change the secret, and show the new one."""
    criteria_set, found = _get(request, slug, pk)
    changed = change_secret(webhook=found, now=timezone.now(), actor=request.user)
    return _page(request, criteria_set, changed, secret=show_secret(webhook=changed, actor=request.user))


@login_required
@require_POST
def webhook_switch(request: Request, slug: str, pk: int) -> HttpResponse:
    """On where the form says so, else off."""
    _, found = _get(request, slug, pk)
    on = "on" in request.POST
    switch_webhook(webhook=found, on=on, now=timezone.now(), actor=request.user)
    words = (
        "The webhook is on." if on else "The webhook is off: it is told nothing, and what waited is given up."
    )
    messages.success(request, words)
    return redirect("webhook", slug, pk)


@login_required
@require_POST
def webhook_delete(request: Request, slug: str, pk: int) -> HttpResponse:
    """Take it away with its log."""
    _, found = _get(request, slug, pk)
    delete_webhook(webhook=found, actor=request.user)
    messages.success(request, "The webhook is deleted, with the log of what was sent to it.")
    return redirect("webhooks", slug)


@login_required
@require_POST
def webhook_test(request: Request, slug: str, pk: int) -> HttpResponse:
    """Send it a message that says only that it is a test."""
    _, found = _get(request, slug, pk)
    try:
        sent = send_test(webhook=found, now=timezone.now(), actor=request.user)
    except CannotSend as problem:
        messages.warning(request, str(problem))
        return redirect("webhook", slug, pk)
    return _on_its_way(slug, sent)


@login_required
@require_POST
def delivery_replay(request: Request, slug: str, pk: int, message: int) -> HttpResponse:
    """Send a message again, under the same id."""
    _, found = _get(request, slug, pk)
    delivery = get_object_or_404(found.deliveries.select_related("webhook"), pk=message)
    try:
        sent = replay(delivery=delivery, now=timezone.now(), actor=request.user)
    except CannotSend as problem:
        messages.warning(request, str(problem))
        return redirect("delivery", slug, pk, message)
    return _on_its_way(slug, sent)


def _on_its_way(slug: str, sent: Delivery) -> HttpResponse:
    transaction.on_commit(send_messages)
    return redirect("delivery", slug, sent.webhook_id, sent.pk)


@login_required
@require_safe
def delivery(request: Request, slug: str, pk: int, message: int) -> HttpResponse:
    """One message: what it says, every try, what came back."""
    criteria_set, found = _get(request, slug, pk)
    sent = get_object_or_404(found.deliveries.select_related("replay_of"), pk=message)
    context = _head(request, criteria_set) | {
        "webhook": found,
        "delivery": sent,
        "tries": sent.log.all(),
        "text": json.dumps(sent.payload, indent=2, sort_keys=True, ensure_ascii=False),
    }
    return render(request, "judging/delivery.html", context)
