"""Providers: what each allows, who asks there, and whether it is closed at the moment."""

from dataclasses import dataclass

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from judging.access import check_lead
from judging.domain.pacing import provider_words
from judging.forms.providers import LimitsForm
from judging.services.providers import Provider, ask_again, forget
from judging.services.providers import providers as every_provider
from vera_site.http import Request

_FORMATS = {"schema": "JSON schema", "json": "JSON mode", "none": "plain text"}


@dataclass(frozen=True, slots=True)
class Shown:
    """A provider with its form, and the formats in words."""

    provider: Provider
    form: LimitsForm
    formats: list[tuple[str, str, str]]


@require_safe
@login_required
def providers(request: Request) -> HttpResponse:
    """Every provider that a judge uses. A lead reads; an administrator sets limits."""
    check_lead(request.user)
    return render(request, "judging/providers.html", _context())


@require_POST
@login_required
def provider_limits(request: Request) -> HttpResponse:
    """Set a provider's limits."""
    _check_administrator(request)
    form = LimitsForm(request.POST)
    if not form.is_valid() or not form.save(request.user):
        return render(request, "judging/providers.html", _context(form), status=422)
    messages.success(request, f"The limits of {provider_words(form.cleaned_data['provider'])} are set.")
    return redirect("providers")


@require_POST
@login_required
def format_forget(request: Request) -> HttpResponse:
    """Find out anew which response format a model takes."""
    _check_administrator(request)
    model = request.POST.get("model", "")[:200]
    forget(model=model, base_url_env=request.POST.get("base_url_env", "")[:80], actor=request.user)
    messages.success(request, f"Which format {model} takes is found out anew with its next run.")
    return redirect("providers")


@require_POST
@login_required
def provider_ask_again(request: Request) -> HttpResponse:
    """Ask a provider again now, though it asked to be left alone for longer."""
    _check_administrator(request)
    provider = request.POST.get("provider", "")[:200]
    if ask_again(provider=provider, actor=request.user):
        messages.success(request, f"{provider_words(provider)} is asked again. What it says then is kept to.")
    else:
        messages.info(request, f"{provider_words(provider)} is not closed.")
    return redirect("providers")


def _check_administrator(request: Request) -> None:
    """Limits cut across criteria sets, so that no lead of one may set them for all."""
    check_lead(request.user)
    if not request.user.is_superuser:
        raise PermissionDenied("Only an administrator may set what all criteria sets share.")


def _context(refused: LimitsForm | None = None) -> dict[str, object]:
    found = every_provider(timezone.now())
    if refused is not None and refused.data.get("provider") not in {each.name for each in found}:
        raise Http404("There is no such provider.")
    shown = [_shown(each, number, refused) for number, each in enumerate(found, start=1)]
    return {"section": "judges", "shown": shown}


def _shown(provider: Provider, number: int, refused: LimitsForm | None) -> Shown:
    form = LimitsForm.of(provider, number)
    if refused is not None and refused.data.get("provider") == provider.name:
        form = refused
    formats = [(each.model, each.base_url_env, _FORMATS[each.format]) for each in provider.formats]
    return Shown(provider, form, formats)
