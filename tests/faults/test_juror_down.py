"""One juror of three that is always down: the others decide by the majority of all who were configured."""

from typing import Any

import pytest
from pytest_django.fixtures import Settings

from judging.models import Certificate
from judging.services.engine import work_on
from judging.services.runs import start_run
from tests.factories import live, make_candidate, make_criteria_set, make_panel, make_ruling
from tests.judging.golden import codes
from tests.judging.running import juror, outcomes, scripted
from tests.scripted_judge import candidate_of

pytestmark = [pytest.mark.faults, pytest.mark.django_db]

ROWS, DOWN_URL = 20, "VERA_JUROR_DOWN_URL"


def says(body: dict[str, Any], n: int) -> str:
    """One juror knows good from bad; one passes two rows of four, whatever they are; one is broken."""
    good, row = "good" in candidate_of(body), int(candidate_of(body).split()[-1])
    able: bool = good if body["model"] == "able" else row % 4 < 2
    return "503" if body["model"] == "broken" else "pass" if able else "fail"


def test_what_two_of_three_cannot_decide_is_skipped_and_the_certificate_refused(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    settings.VERA_PROVIDER_PATIENCE = 0
    monkeypatch.setattr("judging.domain.backoff._FIRST", 0.01)
    criteria_set = make_criteria_set()
    for number in range(ROWS):
        good = number % 2 == 0
        row = make_candidate(criteria_set, f"This is {'good' if good else 'bad'}, number {number}")
        make_ruling(row, "pass" if good else "fail")
    broken = juror("broken", base_url_env=DOWN_URL)
    with scripted(monkeypatch, says) as judge:
        monkeypatch.setenv(DOWN_URL, judge.url)
        run = start_run(
            judge_version=make_panel([juror("able"), juror("torn"), broken]),
            criteria_version=live(criteria_set),
        )
        work_on(run.pk)

    run.refresh_from_db()
    assert run.state == "finished"
    assert outcomes(run) == {
        "panel pass": ROWS // 4,
        "panel fail": ROWS // 4,
        "panel skipped": ROWS // 2,
        "juror pass": ROWS,
        "juror fail": ROWS,
        "juror skipped": ROWS,
    }
    panels = run.verdicts.filter(kind="panel")
    assert set(panels.filter(outcome="skipped").values_list("reason", flat=True)) == {"no_majority"}
    assert set(panels.exclude(outcome="skipped").values_list("confidence", flat=True)) == {2 / 3}
    certificate = Certificate.objects.get(superseded_at=None, judge_version=run.judge_version)
    assert "low_coverage" in codes(certificate)
    assert certificate.status != "certified"
    assert certificate.n == ROWS // 2
