"""A policy is listed in several places: a field that one of them forgets is silently laxer."""

from dataclasses import fields, replace
from decimal import Decimal
from typing import Any

import pytest

from judging.domain.certification import Policy
from judging.domain.policies import binding
from judging.views.certificate_events import policy_words
from labeling.formats import criteria_toml
from labeling.forms.policy import PolicyForm
from labeling.models import CriteriaSet
from labeling.services.criteria_settings import SetSettings
from labeling.services.policies import POLICY

FIELDS = {field.name for field in fields(Policy)}
PLAN = {"looks", "n_max"}  # chosen after rows were scored it proves nothing, so it never changes
STRICTER: dict[str, Any] = {
    "bar": Decimal("0.7"),
    "min_rows": 31,
    "min_per_class": 6,
    "min_coverage": Decimal("0.96"),
    "rule": "bound",
    "max_age_days": 29,
    "demand_ordering": True,
    "demand_human_ceiling": True,
}


def test_every_list_names_the_same_fields() -> None:
    assert set(POLICY) == FIELDS
    assert set(criteria_toml._POLICY) == FIELDS
    assert set(PolicyForm.base_fields) >= FIELDS
    assert set(SetSettings.__annotations__) >= FIELDS
    assert {field.name for field in CriteriaSet._meta.get_fields()} >= FIELDS


@pytest.mark.parametrize("name", sorted(FIELDS))
def test_history_has_words_for_each(name: str) -> None:
    told = policy_words({"rule": "bound", name: 1}, {"rule": "bound", name: 2})

    assert len(told) == 1


def test_each_is_either_stricter_or_of_the_plan() -> None:
    assert set(STRICTER) == FIELDS - PLAN


@pytest.mark.parametrize("name", sorted(STRICTER))
def test_each_binds_when_it_becomes_stricter_and_stays_when_it_becomes_laxer(name: str) -> None:
    strict = replace(Policy(), **{name: STRICTER[name]})

    assert binding(Policy(), strict) == strict
    assert binding(strict, Policy()) == strict


def test_the_plan_stays_as_it_was() -> None:
    other = replace(Policy(), looks=(10, 20), n_max=20)

    assert binding(Policy(), other) == Policy()
