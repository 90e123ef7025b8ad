"""The pages about one judge on one criteria set, and the row of tabs that leads from each to the others."""

from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from judging.services.standing import Standing
from judging.views.answers import is_live
from judging.views.step_links import versions_query

# Route and text, in their order. Each page takes judge and criteria in its path, versions in its query.
TABS = (
    ("certification", "Answer"),
    ("certificate_history", "History"),
    ("drift", "Drift"),
    ("pass_rates", "Pass rates"),
    ("by_criterion", "By criterion"),
    ("panel", "Panel"),
    ("ordering", "Order"),
    ("report", "Report"),
)


@dataclass(frozen=True, slots=True)
class Tab:
    """A link; `here`: it is the page that is shown."""

    text: str
    url: str
    here: bool


def page_about(standing: Standing, route: str) -> dict[str, Any]:
    """Template context that `judging/certification_page.html` needs: who, which versions, which tab."""
    versions = versions_query(standing)
    slugs = [standing.judge_version.judge.slug, standing.criteria_version.criteria_set.slug]
    tabs = [Tab(text, f"{reverse(name, args=slugs)}{versions}", name == route) for name, text in TABS]
    return {
        "section": "dashboard",
        "standing": standing,
        "versions": versions,
        "is_live": is_live(standing),
        "tabs": tabs,
        "tab": next(tab for tab in tabs if tab.here),
    }
