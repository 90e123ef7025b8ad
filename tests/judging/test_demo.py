"""The example of `make demo`, loaded again over what people did with it."""

import pytest

from demo.example import load_example
from demo.rows import FILES
from judging.models import Judge
from labeling.models import Candidate, CriteriaSet, Label
from tests.factories import make_version

pytestmark = pytest.mark.django_db


def test_the_example_is_there_once() -> None:
    load_example()

    assert set(CriteriaSet.objects.values_list("slug", flat=True)) == set(FILES)
    assert Candidate.objects.count() >= 90
    assert Judge.objects.filter(slug="review-panel").exists()


def test_loading_again_leaves_alone_what_a_lead_changed() -> None:
    load_example()
    edited = CriteriaSet.objects.get(slug="meeting-summaries")
    make_version(edited, live=True)
    labels = Label.objects.count()

    load_example()

    assert edited.versions.count() == 2
    assert Label.objects.count() == labels
