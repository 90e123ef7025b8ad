"""Agreement on single criteria: people's marks against the scores of a judge and of its jurors."""

import numpy as np
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from sklearn.metrics import cohen_kappa_score

from judging.models import JudgeVersion, Run
from judging.services.criterion_agreement import Marked, marks_of
from labeling.domain.agreement.graded import weighted_kappa
from labeling.models import Candidate, CriteriaSet, Criterion
from tests.factories import live, make_criteria_set, make_judge, make_panel, make_user
from tests.judging.dashboards import text
from tests.judging.golden import certified, make_run
from tests.judging.marking import make_criterion, mark_rows, score_rows

pytestmark = pytest.mark.django_db
URL = "/dashboard/strict/replies/criteria/"


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies")


@pytest.fixture
def client(criteria_set: CriteriaSet) -> Client:
    found = Client()
    found.force_login(make_user("lena", lead_of=criteria_set))
    return found


def run_of(judge: JudgeVersion, criteria_set: CriteriaSet, **cells: int) -> Run:
    run = make_run(judge, criteria_set, **cells)  # type: ignore[arg-type]
    certified(run, timezone.now())
    return run


def marked_on(run: Run, criterion: Criterion, judge: JudgeVersion | None = None) -> Marked:
    calibration = run.calibrations.get(judge_version=run.judge_version)
    return marks_of(calibration)[(judge or run.judge_version).pk, criterion.pk]


def test_marks_meet_scores_cell_by_cell(criteria_set: CriteriaSet) -> None:
    run = run_of(make_judge("strict"), criteria_set, a=4, d=4, skipped_fail=1)
    tone = make_criterion(live(criteria_set), "tone", 1, 5)
    mark_rows(run, tone, [5, 5, 4, 3, 2, 1, None, 1, 1], make_user())
    score_rows(run, tone, [5, 4, 4, 3, 2, 1, 1, None, 5])

    found = marked_on(run, tone)

    # The seventh has no mark, the eighth no score, and the ninth was skipped.
    assert found.counts == {(5, 5): 1, (5, 4): 1, (4, 4): 1, (3, 3): 1, (2, 2): 1, (1, 1): 1}
    assert found.unscored == 1


def test_of_several_marks_the_middle_one_counts(criteria_set: CriteriaSet) -> None:
    run = run_of(make_judge("strict"), criteria_set, a=3)
    tone = make_criterion(live(criteria_set), "tone", 1, 5)
    score_rows(run, tone, [1, 2, 3])
    for marks in ([5, 1, 4], [1, 2, None], [5, None, None]):
        mark_rows(run, tone, marks, make_user())

    assert marked_on(run, tone).counts == {(5, 1): 1, (1.5, 2): 1, (4, 3): 1}


def test_marks_given_after_seeing_a_verdict_or_corrected_do_not_count(criteria_set: CriteriaSet) -> None:
    run = run_of(make_judge("strict"), criteria_set, a=3)
    tone = make_criterion(live(criteria_set), "tone", 1, 5)
    score_rows(run, tone, [1, 1, 1])
    people = [make_user() for _ in range(4)]
    mark_rows(run, tone, [2, 2, 2], people[0])
    for person in people[1:]:
        mark_rows(run, tone, [5, 5, 5], person)
    now = timezone.now()
    people[1].labels.update(blind=False)
    people[2].labels.update(superseded_at=now)
    people[3].labels.update(withdrawn_at=now)

    assert marked_on(run, tone).counts == {(2, 1): 3}


def test_rows_of_one_request_are_summed_within_it(criteria_set: CriteriaSet) -> None:
    run = run_of(make_judge("strict"), criteria_set, a=40)
    tone = make_criterion(live(criteria_set), "tone", 1, 5)
    drawn = np.random.default_rng(5).integers(1, 6, size=(20, 2)).repeat(2, axis=0).tolist()
    mark_rows(run, tone, [human for human, _ in drawn], make_user())
    score_rows(run, tone, [said for _, said in drawn])
    for number, row in enumerate(run.verdicts.order_by("pk")):
        Candidate.objects.filter(pk=row.candidate_id).update(request_hash=f"{number // 2:064}")

    marked = marked_on(run, tone)

    # Each row stands there twice: as many requests, and their doubt is that of the half of the rows.
    found = weighted_kappa(marked.counts, marked.requests)
    once = weighted_kappa({cell: rows // 2 for cell, rows in marked.counts.items()})
    assert (found.requests, found.n) == (20, 40)
    assert found.se == pytest.approx(once.se)
    human, said = zip(*drawn, strict=True)
    assert found.value == pytest.approx(cohen_kappa_score(human, said, weights="quadratic"))


def test_the_page_tells_of_each_scale(client: Client, criteria_set: CriteriaSet) -> None:
    run = run_of(make_judge("strict"), criteria_set, a=20, b=2, c=3, d=20)
    version, person = live(criteria_set), make_user()
    meets, tone = version.criteria.get(), make_criterion(version, "tone", 1, 5)
    make_criterion(version, "length", strategy="max_length")
    make_criterion(version, "wit")
    mark_rows(run, meets, [1] * 22 + [0] * 23, person)
    score_rows(run, meets, [1] * 20 + [0] * 2 + [1] * 3 + [0] * 20)
    mark_rows(run, tone, [1, 2, 3, 4, 5] * 8, person)
    score_rows(run, tone, [2, 3, 4, 5, 5] * 8)

    page = text(client.get(URL))

    assert "Kappa <strong>0.778</strong>" in page  # 40 of 45 agree, by chance 1012/2025 would
    # Squared distances: .8 within rows, and 2 + 1.36 + .8² = 4 between any two.
    assert "Weighted kappa <strong>0.800</strong>" in page
    assert "+0.80 points: more lenient than people" in page
    assert "5 rows without anybody&#x27;s mark of this criterion" in page
    assert "Decided in code, by the rule <code>max_length</code>" in page
    assert "No row that the judge scored has a mark of this criterion." in page
    assert "None" not in page


def test_jurors_stand_beside_their_panel(client: Client, criteria_set: CriteriaSet) -> None:
    one, two = make_judge("one"), make_judge("two")
    run = run_of(make_panel([one, two], "strict"), criteria_set, a=6, d=6)
    meets = live(criteria_set).criteria.get()
    mark_rows(run, meets, [1] * 6 + [0] * 6, make_user())
    score_rows(run, meets, [1] * 5 + [0.5] + [0] * 6)
    score_rows(run, meets, [1] * 6 + [0] * 6, one)
    score_rows(run, meets, [1] * 5 + [0] * 7, two)

    page = text(client.get(URL))

    assert marked_on(run, meets, two).counts == {(1, 1): 5, (1, 0): 1, (0, 0): 6}
    assert 'data-label="one@1"> 1.000 <small>95% interval 0.' in page
    assert 'data-label="two@1"> 0.833 <small>95% interval 0.' in page
    assert page.count("Where an interval ends at kappa itself") == 1
    assert "1 row on which the jurors&#x27; scores are evenly split" in page


def test_evenly_split_marks_are_unresolved(client: Client, criteria_set: CriteriaSet) -> None:
    run = run_of(make_judge("strict"), criteria_set, a=3, d=3)
    meets = live(criteria_set).criteria.get()
    mark_rows(run, meets, [1, 1, 1, 0, 0, 0], make_user())
    mark_rows(run, meets, [1, 1, 0, 0, 0, 0], make_user())
    score_rows(run, meets, [1, 1, 1, 0, 0, 0])

    page = text(client.get(URL))

    assert "Kappa <strong>1.000</strong>" in page
    assert "1 row on which people&#x27;s marks are evenly split, unresolved" in page


def test_one_class_is_undefined_and_no_marks_say_how_to_get_them(
    client: Client, criteria_set: CriteriaSet
) -> None:
    run = run_of(make_judge("strict"), criteria_set, a=3)
    assert "Nobody has marked a criterion on these rows yet" in text(client.get(URL))
    meets = live(criteria_set).criteria.get()
    mark_rows(run, meets, [1, 1, 1], make_user())
    score_rows(run, meets, [1, 1, 1])

    page = text(client.get(URL))

    assert "<strong>Kappa is undefined.</strong> All rows have one and the same verdict" in page
    assert "nan" not in page


def test_a_judge_never_calibrated_has_the_page(client: Client) -> None:
    make_judge("strict")

    assert "This judge was never calibrated on these criteria" in text(client.get(URL))


def test_it_is_the_leads_page(criteria_set: CriteriaSet) -> None:
    make_judge("strict")
    labeler, stranger = Client(), Client()
    labeler.force_login(make_user(labels=criteria_set))
    stranger.force_login(make_user(lead_of=make_criteria_set()))

    assert [each.get(URL).status_code for each in (labeler, stranger)] == [403, 404]


def test_more_rows_ask_no_more(client: Client, criteria_set: CriteriaSet) -> None:
    asked = []
    panel = make_panel([make_judge(), make_judge()], "strict")
    meets, tone = live(criteria_set).criteria.get(), make_criterion(live(criteria_set), "tone", 1, 5)
    for rows in (10, 20):
        run, person = run_of(panel, criteria_set, a=rows, d=rows), make_user()
        for criterion in (meets, tone):
            mark_rows(run, criterion, [1, 0] * rows, person)
            score_rows(run, criterion, [0, 1] * rows)
        with CaptureQueriesContext(connection) as queries:
            assert client.get(URL).status_code == 200
        asked.append(len(queries))

    assert asked[0] == asked[1]
