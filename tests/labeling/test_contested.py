"""The quick way to the rows in dispute is the same as asking every row for its truth."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from labeling.models import Candidate
from labeling.services.contested import contested
from tests.factories import live, make_candidate, make_criteria_set, make_label, make_ruling, make_user

pytestmark = pytest.mark.django_db

label = st.tuples(st.sampled_from(["pass", "fail"]), st.booleans())
ruling = st.none() | st.tuples(st.sampled_from(["pass", "fail", "unresolved"]), st.booleans())
type Row = tuple[list[tuple[str, bool]], tuple[str, bool] | None, str]
row = st.tuples(st.lists(label, max_size=4), ruling, st.sampled_from(["certify", "tune"]))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(row, max_size=8))
def test_it_is_what_is_unresolved(rows: list[Row]) -> None:
    criteria_set = make_criteria_set()
    for labels, ruled, split in rows:
        candidate = make_candidate(criteria_set, split=split)
        for verdict, blind in labels:
            make_label(candidate, make_user(), verdict, blind=blind)
        if ruled:
            make_ruling(candidate, ruled[0], blind=ruled[1])

    truths = Candidate.objects.filter(criteria_set=criteria_set).with_truth(live(criteria_set))
    assert set(contested(live(criteria_set))) == set(truths.filter(truth="unresolved"))
