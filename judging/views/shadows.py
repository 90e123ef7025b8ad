"""Newer versions of a judge or of its criteria, beside the live one: how they stand, what promoting does."""

from dataclasses import dataclass

from django.urls import reverse

from judging.services.standing import Standing
from judging.views.interval import IntervalDrawing, interval_drawing
from judging.views.step_links import calibrate_url


@dataclass(frozen=True, slots=True)
class Promotion:
    """One thing to promote, and how far that reaches."""

    url: str
    name: str
    reach: str


@dataclass(frozen=True, slots=True)
class Shadow:
    """A draft as it stands, beside the live versions. `effect` says what promoting would do to the gate."""

    standing: Standing
    drawing: IntervalDrawing | None
    words: str
    effect: str
    closes: bool
    promotions: list[Promotion]
    calibrate: str


def shadow_of(standing: Standing, live: Standing) -> Shadow:
    """What to say of `standing`, of which some version is newer than the live one."""
    return Shadow(
        standing=standing,
        drawing=interval_drawing(standing),
        words=_words(standing),
        effect=_effect(standing.certified, live.certified),
        closes=live.certified and not standing.certified,
        promotions=_promotions(standing),
        calibrate=calibrate_url(standing),
    )


def _words(standing: Standing) -> str:
    if standing.certificate is None:
        return "not measured yet"
    return "good enough to gate" if standing.certified else "not good enough"


def _effect(certified: bool, live_certified: bool) -> str:
    if certified:
        return (
            "The gate stays open."
            if live_certified
            else "The gate opens: this version has earned its certificate."
        )
    if live_certified:
        return "The gate closes, because this version is not certified."
    return "The gate stays closed."


def _promotions(standing: Standing) -> list[Promotion]:
    """What has to be promoted for the gate to answer by these versions."""
    found = []
    version, judge = standing.judge_version, standing.judge_version.judge
    if judge.live_version_id != version.pk:
        url = reverse("judge_promote", args=[judge.slug, version.number])
        found.append(Promotion(url, str(version), "This judge changes on every criteria set."))
    criteria, criteria_set = standing.criteria_version, standing.criteria_version.criteria_set
    if criteria_set.live_version_id != criteria.pk:
        url = reverse("criteria_promote", args=[criteria_set.slug, criteria.number])
        found.append(Promotion(url, str(criteria), "The criteria change for every judge."))
    return found
