"""Criteria sets and versions: numbered, immutable, promoted by an act."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest

from labeling.domain.criteria import CriteriaSpec, CriterionSpec, InvalidCriteria
from labeling.models import AuditEvent, CriteriaSet, Membership
from labeling.models.criteria import Changed
from labeling.services.criteria import (
    add_version,
    create_criteria_set,
    promote_version,
    spec_hash,
    spec_of,
)
from tests.factories import live, make_criteria_set, make_user

pytestmark = pytest.mark.django_db

FAITHFUL = CriterionSpec("faithful", "Says nothing the grounding does not say.", minimum=1)
SHORT = CriterionSpec(
    "short", "At most fifty words.", 2, False, strategy="max_words", params={"words": 50}, minimum=None
)
TONE = CriterionSpec("tone", "Friendly and plain.", 3, True, 1, 5, 4)
SPEC = CriteriaSpec((FAITHFUL, SHORT, TONE), Decimal("0.8"))


def make(spec: CriteriaSpec = SPEC, slug: str = "summaries") -> CriteriaSet:
    return create_criteria_set(slug=slug, name="Summaries", spec=spec)


def test_a_version_gives_back_what_it_was_made_of() -> None:
    assert spec_of(live(make())) == SPEC


def test_version_1_is_live_and_its_maker_leads() -> None:
    user = make_user()

    criteria_set = create_criteria_set(
        slug="replies", name="Replies", spec=SPEC, actor=user, labels_per_row=2
    )

    assert live(criteria_set).number == 1
    assert criteria_set.labels_per_row == 2
    assert Membership.objects.get(user=user, criteria_set=criteria_set).role == "lead"


def test_a_new_version_is_a_draft_and_the_live_one_stays() -> None:
    criteria_set = make()

    version = add_version(criteria_set=criteria_set, spec=replace(SPEC, threshold=Decimal("0.9")))

    assert version.number == 2
    criteria_set.refresh_from_db()
    assert live(criteria_set).number == 1


def test_nothing_changed_adds_no_version() -> None:
    criteria_set = make()

    same = add_version(criteria_set=criteria_set, spec=replace(SPEC, threshold=Fraction(4, 5)))

    assert same == criteria_set.live_version
    assert criteria_set.versions.count() == 1


@pytest.mark.parametrize(
    "other",
    [
        replace(SPEC, threshold=Decimal("0.81")),
        replace(SPEC, criteria=(SHORT, FAITHFUL, TONE)),
        replace(SPEC, criteria=(FAITHFUL, SHORT)),
        replace(SPEC, criteria=(FAITHFUL, replace(SHORT, params={"words": 51}), TONE)),
        replace(SPEC, criteria=(FAITHFUL, SHORT, replace(TONE, minimum=3))),
        replace(SPEC, criteria=(FAITHFUL, SHORT, replace(TONE, weight=4))),
    ],
)
def test_any_difference_is_another_content(other: CriteriaSpec) -> None:
    assert spec_hash(other) != spec_hash(SPEC)


def test_promoting_and_rolling_back_are_recorded() -> None:
    user, criteria_set = make_user(), make()
    first = live(criteria_set)
    second = add_version(criteria_set=criteria_set, spec=replace(SPEC, threshold=Decimal("0.9")))

    assert promote_version(criteria_set=criteria_set, version=second, actor=user).live_version == second
    assert promote_version(criteria_set=criteria_set, version=first, actor=user).live_version == first
    promote_version(criteria_set=criteria_set, version=first, actor=user)

    events = AuditEvent.objects.filter(action="criteria_promoted", actor=user)
    assert [event.details for event in events] == [{"before": 2, "after": 1}, {"before": 1, "after": 2}]


def test_a_version_of_another_set_is_not_promoted() -> None:
    with pytest.raises(ValueError, match="no version of"):
        promote_version(criteria_set=make(), version=live(make_criteria_set()), actor=None)


def test_versions_and_criteria_never_change() -> None:
    version = live(make())
    criterion = version.criteria.all()[0]

    with pytest.raises(Changed, match="add a new criteria version"):
        version.save()
    with pytest.raises(Changed):
        criterion.save()


@pytest.mark.parametrize(
    ("criterion", "sentence"),
    [
        (replace(FAITHFUL, description="nul \x00 here"), "NUL character"),
        (replace(FAITHFUL, name="n" * 81), "at most 80 characters"),
        (replace(FAITHFUL, scale_max=40_000), "go up to 1000"),
        (replace(FAITHFUL, strategy="guess"), "is no strategy"),
    ],
)
def test_what_does_not_fit_is_refused_with_a_sentence(criterion: CriterionSpec, sentence: str) -> None:
    with pytest.raises(InvalidCriteria, match=sentence):
        make(CriteriaSpec((TONE, criterion)))
    assert not CriteriaSet.objects.exists()


def test_a_threshold_is_never_rounded() -> None:
    with pytest.raises(InvalidCriteria, match="three digits"):
        make(replace(SPEC, threshold=Fraction(2, 3)))


def test_a_taken_slug_and_a_bar_above_1_are_refused() -> None:
    make(slug="taken")

    with pytest.raises(InvalidCriteria, match=r"slug: .* already exists"):
        make(slug="taken")
    with pytest.raises(InvalidCriteria, match="bar: "):
        create_criteria_set(slug="other", name="Other", spec=SPEC, bar=Decimal("1.2"))
