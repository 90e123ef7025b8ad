"""Between runs a certificate is decided again in four ways; each leaves standing what it did not measure."""

from collections.abc import Callable
from dataclasses import asdict
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from judging.domain.reasons import CertificateReason, certificate_reason
from judging.models import Certificate, Verdict
from judging.services.certificates import tells
from judging.services.certification import certify_run, golden_set_changed
from judging.services.retrying import retry_skipped
from judging.services.suspending import reinstate
from labeling.services.criteria_settings import update_set
from tests.factories import make_criteria_set, make_judge
from tests.judging.dashboards import certify
from tests.judging.golden import codes, correct
from tests.judging.references import make_set, order

pytestmark = pytest.mark.django_db


def ask_again(certificate: Certificate) -> None:
    run = certificate.calibration.run
    retry_skipped(run=run)
    Verdict.objects.pending().filter(run=run).update(outcome="fail", reason="", filled_at=timezone.now())
    certify_run(run=run)


def correct_a_row(certificate: Certificate) -> None:
    row = certificate.calibration.rows.filter(truth="pass")[0]
    correct(row.candidate, "fail")
    golden_set_changed(certificate.criteria_version, [row.candidate_id])


def raise_the_bar(certificate: Certificate) -> None:
    update_set(criteria_set=certificate.criteria_version.criteria_set, bar=Decimal("0.66"), actor=None)


def order_wrongly(certificate: Certificate) -> None:
    """Which nobody demands, so that it only warns."""
    reference_set = make_set(certificate.criteria_version.criteria_set)
    order(certificate.judge_version, [reference_set], "29")


def stored(*told: str) -> list[dict[str, Any]]:
    words = {"have": ".5", "need": ".65", "juror": "strict@1", "before": "one", "now": "other"}
    return [asdict(certificate_reason(CertificateReason(code), **words)) for code in told]


def refused(*told: str) -> dict[str, Any]:
    return {"status": "uncertified", "reasons": stored(*told)}


def in_force() -> Certificate:
    return Certificate.objects.current().with_names().get()


def made(**columns: Any) -> Certificate:
    """A certificate of counts that are good, with one row to ask again, but for these columns."""
    certify(make_judge(), make_criteria_set(), a=16, d=16, skipped_fail=1)
    Certificate.objects.update(**columns)
    return in_force()


WAYS: dict[str, Callable[[Certificate], None]] = {
    "retry": ask_again,
    "golden_set": correct_a_row,
    "policy": raise_the_bar,
    "ordering": order_wrongly,
}
every_way = pytest.mark.parametrize("way", WAYS)


@every_way
@pytest.mark.parametrize("suspended_for", ["drift_alarm", "provider_model_changed"])
def test_a_suspension_stays_and_only_lifting_it_gives_the_certificate_back(
    way: str, suspended_for: str
) -> None:
    before = made(**refused(suspended_for))

    WAYS[way](before)

    after = in_force()
    assert (after.cause, codes(after)) == (way, [suspended_for])
    versions: Any = {
        "judge_version_id": after.judge_version_id,
        "criteria_version_id": after.criteria_version_id,
    }
    assert reinstate(**versions, now=timezone.now(), note="It was us.").status == "certified"


@every_way
def test_that_labels_were_corrected_is_told_on(way: str) -> None:
    before = made(warnings=stored("golden_set_changed"))

    WAYS[way](before)

    after = in_force()
    assert (after.cause, after.status) == (way, "certified")
    assert [each["code"] for each in after.warnings].count("golden_set_changed") == 1


@every_way
def test_who_lost_it_by_corrected_labels_waits_for_a_run(way: str) -> None:
    before = made(**refused("golden_set_changed"))

    WAYS[way](before)

    after = in_force()
    assert (after.cause, after.status, codes(after)) == (way, "uncertified", ["golden_set_changed"])


@every_way
def test_all_at_once_stand_each_once_and_the_suspension_first(way: str) -> None:
    before = made(**refused("drift_alarm", "golden_set_changed"))

    WAYS[way](before)

    assert codes(in_force()) == ["drift_alarm", "golden_set_changed"]


@every_way
def test_none_renews_what_has_run_out(way: str) -> None:
    now = timezone.now()
    before = made(calibrated_at=now - timedelta(days=31), expires_at=now - timedelta(days=1))

    WAYS[way](before)

    after = in_force()
    assert not after.is_certified(now)
    assert after.expires_at == before.expires_at
    assert after == before if way == "policy" else "expired" in codes(after)


@every_way
@pytest.mark.parametrize(
    ("reason", "taken_back_by"), [("below_bar", {"retry"}), ("ordering_violated", {"retry", "ordering"})]
)
def test_only_what_was_measured_again_is_taken_back(way: str, reason: str, taken_back_by: set[str]) -> None:
    before = made(**refused(reason))

    WAYS[way](before)

    after = in_force()
    assert after.cause == way
    assert (after.status == "certified") == (way in taken_back_by)


@every_way
def test_nothing_is_taken_back_where_labels_were_corrected_before_it_fell(way: str) -> None:
    before = made(**refused("below_bar"), warnings=stored("golden_set_changed"))

    WAYS[way](before)

    after = in_force()
    assert after.status == "uncertified"
    assert tells(after, CertificateReason.GOLDEN_SET_CHANGED)
