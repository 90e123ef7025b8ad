"""What every page of a criteria set begins with: which version it is about, and the head of the page."""

from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest

from labeling.access import AnyUser, leads
from labeling.models import CriteriaSet, CriteriaVersion
from vera_site.http import whole


def chosen_version(criteria_set: CriteriaSet, request: HttpRequest) -> CriteriaVersion:
    """The version that `?version=` names, else the live one; 404 where there is none such."""
    version = version_numbered(criteria_set, request.GET.get("version", "")) or criteria_set.live_version
    if version is None:
        raise Http404("This criteria set has no such version.")
    version.criteria_set = criteria_set
    return version


def version_numbered(criteria_set: CriteriaSet, number: str) -> CriteriaVersion | None:
    """The version that a word in an address names; None for an empty one, 404 where there is none such."""
    if not number:
        return None
    version = criteria_set.versions.filter(number=whole(number)).first()
    if version is None:
        raise Http404("This criteria set has no such version.")
    version.criteria_set = criteria_set
    return version


def head(user: AnyUser, criteria_set: CriteriaSet, tab: str) -> dict[str, Any]:
    """Context of `labeling/set_head.html`: the set, the open tab, and whether to offer a lead's tabs."""
    return {
        "section": "sets",
        "criteria_set": criteria_set,
        "tab": tab,
        "leads": leads(user, criteria_set),
    }


def page_of[Row](rows: "QuerySet[Any, Row]", request: HttpRequest, size: int) -> "Page[Row]":
    """The page that `?page=` names; a number too high is the last one, nonsense the first."""
    return Paginator(rows, size).get_page(request.GET.get("page"))
