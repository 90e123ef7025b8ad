"""Rulings on conflicts: recorded once, blind or said not to be, superseding what stood."""

import pytest
from django.contrib.auth.models import User
from pytest_django import DjangoCaptureOnCommitCallbacks

from labeling.models import AuditEvent, Candidate, CriteriaVersion, Exposure, Ruling, Slot
from labeling.services.exposures import record_exposure
from labeling.services.rulings import RulingRefused, rule
from tests.factories import live, make_candidate, make_criteria_set, make_label, make_user

pytestmark = pytest.mark.django_db


def conflict(split: str = "certify") -> Candidate:
    """A row on which two labelers disagree."""
    candidate = make_candidate(make_criteria_set(), split=split)
    make_label(candidate, make_user(), "pass")
    make_label(candidate, make_user(), "fail")
    return candidate


def decide(candidate: Candidate, actor: User, verdict: str = "fail", *, seen: int | None = None) -> Ruling:
    version = live(candidate.criteria_set)
    return rule(
        candidate=candidate,
        version=version,
        verdict=verdict,
        reason="Names no owner.",
        actor=actor,
        seen=seen,
    )


def truth(candidate: Candidate) -> str | None:
    return Candidate.objects.with_truth(live(candidate.criteria_set)).get(pk=candidate.pk).truth


def show_verdict(candidate: Candidate, user: User) -> None:
    version = live(candidate.criteria_set)
    record_exposure(user=user, version=version, candidate_ids=[candidate.pk], what=Exposure.What.VERDICTS)


def test_a_ruling_settles_a_conflict_and_is_recorded() -> None:
    candidate, lead = conflict(), make_user()

    ruling = decide(candidate, lead)

    assert ruling.blind
    assert truth(candidate) == "fail"
    assert AuditEvent.objects.get(action="ruling").actor == lead


@pytest.mark.parametrize(("split", "settled"), [("certify", "unresolved"), ("tune", "fail")])
def test_who_saw_a_verdict_settles_tune_rows_only(split: str, settled: str) -> None:
    candidate, lead = conflict(split), make_user()
    show_verdict(candidate, lead)

    assert not decide(candidate, lead).blind
    assert truth(candidate) == settled


def test_what_another_lead_saw_does_not_matter() -> None:
    candidate = conflict()
    show_verdict(candidate, make_user())

    assert decide(candidate, make_user()).blind


def test_a_second_press_records_nothing_new() -> None:
    candidate, lead = conflict(), make_user()

    assert decide(candidate, lead) == decide(candidate, lead)
    assert Ruling.objects.count() == AuditEvent.objects.count() == 1


def test_a_later_ruling_supersedes_and_both_stay() -> None:
    candidate, lead = conflict(), make_user()
    first = decide(candidate, lead, "fail")

    second = decide(candidate, lead, "pass", seen=first.pk)

    assert second.supersedes == first
    assert list(Ruling.objects.current()) == [second]
    assert truth(candidate) == "pass"


def test_a_ruling_made_meanwhile_is_not_overruled_unread() -> None:
    candidate = conflict()
    decide(candidate, make_user(), "fail")

    with pytest.raises(RulingRefused, match="meanwhile"):
        decide(candidate, make_user(), "pass")
    assert truth(candidate) == "fail"


@pytest.mark.parametrize(
    ("verdict", "reason", "sentence"),
    [("maybe", "Because.", "pass or fail"), ("pass", "  ", "why"), ("pass", "a\x00b", "NUL")],
)
def test_an_incomplete_ruling_is_refused(verdict: str, reason: str, sentence: str) -> None:
    candidate = conflict()
    version = live(candidate.criteria_set)

    with pytest.raises(RulingRefused, match=sentence):
        rule(
            candidate=candidate, version=version, verdict=verdict, reason=reason, actor=make_user(), seen=None
        )
    assert not Ruling.objects.exists()


def test_listeners_hear_of_it_once_it_is_committed(
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[tuple[CriteriaVersion, list[int]]] = []
    monkeypatch.setattr(
        "labeling.services.truth.listeners", [lambda version, ids: heard.append((version, list(ids)))]
    )
    candidate = conflict()

    with django_capture_on_commit_callbacks(execute=True):
        decide(candidate, make_user())

    assert heard == [(live(candidate.criteria_set), [candidate.pk])]


def test_an_exposure_is_noted_the_first_time_only() -> None:
    candidate, user = conflict(), make_user()

    show_verdict(candidate, user)
    show_verdict(candidate, user)

    assert Exposure.objects.get().candidate == candidate


def test_a_row_that_was_ruled_on_leaves_the_queue() -> None:
    candidate = conflict()
    Slot.objects.create(candidate=candidate, version=live(candidate.criteria_set), number=3)

    decide(candidate, make_user())

    assert not Slot.objects.filter(candidate=candidate).exists()
