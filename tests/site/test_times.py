"""Times are shown in the reader's zone, everywhere by the same filter."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

from labeling.models import CriteriaVersion
from tests.factories import live, make_criteria_set, make_user

pytestmark = pytest.mark.django_db
LATE = datetime(2026, 3, 1, 22, 30, tzinfo=UTC)


@pytest.fixture
def reader(client: Client) -> Client:
    """Somebody who may read a set whose live version was made late in the evening."""
    criteria_set = make_criteria_set("replies")
    CriteriaVersion.objects.filter(pk=live(criteria_set).pk).update(created_at=LATE)
    client.force_login(make_user(labels=criteria_set), backend="django.contrib.auth.backends.ModelBackend")
    return client


def shown(reader: Client) -> list[str]:
    """The times on the page of criteria, as written."""
    page = reader.get("/sets/replies/criteria/").content.decode()
    return re.findall(r"<time[^>]*>([^<]*)</time>", page)


def test_the_browsers_zone_is_the_readers(reader: Client) -> None:
    reader.cookies["zone"] = "Asia/Tokyo"

    assert shown(reader) == ["2 Mar 2026, 07:30"]


@pytest.mark.parametrize(
    "name", ["", "Nowhere/Special", "../../etc/passwd", "/etc/passwd", "a\x80", "x" * 3000, "a/" * 600]
)
def test_without_a_zone_times_say_that_they_are_utc(reader: Client, name: str) -> None:
    reader.cookies["zone"] = name

    assert shown(reader) == ["1 Mar 2026, 22:30 UTC"]


def test_a_zone_is_for_one_request(reader: Client) -> None:
    reader.cookies["zone"] = "Asia/Tokyo"
    shown(reader)
    del reader.cookies["zone"]

    assert shown(reader) == ["1 Mar 2026, 22:30 UTC"]


# Text in a drawing holds no element for a time; the drawing names its zone.
DRAWINGS = {"growth.html", "kappa_over_time.html", "drift_days.html", "drift_sum.html"}


def test_templates_show_times_in_no_other_way() -> None:
    by_hand = re.compile(r"<time|\|(date|time|timesince|timeuntil)\b|% now ")

    templates = Path(settings.BASE_DIR, "templates").rglob("*.html")
    found = [each.name for each in templates if by_hand.search(each.read_text(encoding="utf-8"))]

    assert set(found) <= DRAWINGS
