"""Markup, script and direction changes in everything that people and models write: shown, never executed."""

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Dialog, Page

from judging.models import CriterionScore, JudgeVersion, Run
from labeling.models import Candidate, CriteriaSet, CriteriaVersion, Criterion, ImportBatch
from tests.browser.conftest import Login
from tests.factories import live, make_candidate, make_judge, make_label, make_panel, make_user
from tests.judging.golden import certified, make_run

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

EVIL = (
    "<script>alert(1)</script><img src=x onerror=alert(2)><svg/onload=alert(3)>\"'>"
    "<a href='javascript:alert(4)'>x</a>{{ 700000|add:7000001 }}{% debug %}</textarea></title></option>"
    "\u202e\u200b\x1b[31m[click](javascript:alert(5))"
)

MARKUP = EVIL.partition("</textarea>")[0]  # for names, which must have nothing that nobody can see
# Nothing of EVIL may have become an element: Vera's own pages have none of these.
FOREIGN = "img[src=x], svg[onload], a[href^='javascript'], script:not([src]), main b:text-is('one')"


@pytest.fixture
def alarmed(page: Page) -> Iterator[Page]:
    """A page on which nothing that was written may run; a dialog is a failure."""
    dialogs: list[str] = []

    def note(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", note)
    yield page
    assert dialogs == []


def hostile_set() -> CriteriaSet:
    """A criteria set that says EVIL wherever a text may stand."""
    criteria_set = CriteriaSet.objects.create(slug="evil", name=MARKUP, description=EVIL)
    version = CriteriaVersion.objects.create(
        criteria_set=criteria_set, number=1, content_hash="0" * 64, note=EVIL
    )
    Criterion.objects.create(version=version, position=1, name=MARKUP[:80], description=EVIL)
    criteria_set.live_version = version
    criteria_set.save()
    ImportBatch.objects.create(
        criteria_set=criteria_set,
        version=version,
        file_name=MARKUP,
        format="vera",
        sha256="0" * 64,
        refused=[{"line": 1, "field": EVIL, "reason": EVIL}],
    )
    return criteria_set


def hostile_judge() -> JudgeVersion:
    juror = make_judge("juror", model=MARKUP, family=MARKUP[:80])
    return make_panel([juror, make_judge("mild")], "panel")


def hostile_run(judge: JudgeVersion, criteria_set: CriteriaSet) -> Run:
    """A run whose every row, verdict and person says EVIL."""
    run = make_run(judge, criteria_set, a=2, b=1, c=1, d=2, skipped_pass=1)
    run.pause_detail = EVIL
    run.save()
    for number, row in enumerate(Candidate.objects.filter(criteria_set=criteria_set)):
        texts = {"request": EVIL, "output": f"{number} {EVIL}", "grounding": EVIL, "criteria_text": EVIL}
        Candidate.objects.filter(pk=row.pk).update(**texts)
    run.verdicts.update(raw_reply=EVIL, feedback=EVIL, detail=EVIL, answered_model=EVIL[:200])
    criterion = live(criteria_set).criteria.get()
    for verdict in run.verdicts.filter(outcome__in=["pass", "fail"]):
        CriterionScore.objects.create(verdict=verdict, criterion=criterion, score=0, reason=EVIL)
    return run


@pytest.fixture
def everywhere() -> tuple[User, list[str]]:
    """A lead, and the address of every page that shows what somebody else wrote."""
    criteria_set, judge = hostile_set(), hostile_judge()
    lead = make_user("lead", lead_of=criteria_set)
    run = hostile_run(judge, criteria_set)
    certified(run)
    row = make_candidate(criteria_set, f"labels {EVIL}", request=EVIL, slots=2)
    for name, verdict in (("<b>one</b>", "pass"), ("javascript:alert(6)", "fail")):
        label = make_label(row, make_user(name, labels=criteria_set), verdict)
        label.comment = EVIL
        label.save()
    start = "/sets/evil"
    addresses = ["/", f"{start}/label/", f"{start}/golden/", f"{start}/golden/{row.pk}/", f"{start}/rulings/"]
    addresses += [
        f"{start}/{page}/" for page in ("criteria", "criteria/new", "import", "settings", "members")
    ]
    addresses += [f"{start}/import/{ImportBatch.objects.get().pk}/", f"{start}/export/"]
    addresses += [f"{start}/label/text/{row.pk}/{field}/" for field in ("request", "output", "grounding")]
    addresses += ["/judges/", "/judges/juror/", "/judges/juror/new-version/", "/judges/panel/", "/runs/"]
    addresses += [f"/runs/{run.pk}/{page}" for page in ("", "skips/", "verdicts/")]
    addresses += ["/runs/new/", "/dashboard/", "/dashboard/panel/evil/"]
    addresses += [f"/dashboard/panel/evil/rows/{cell}/" for cell in "bc"]
    return lead, addresses


def test_what_people_and_models_write_is_text(
    alarmed: Page, login: Login, everywhere: tuple[User, list[str]]
) -> None:
    lead, addresses = everywhere
    login(alarmed, lead)

    for address in addresses:
        answer = alarmed.goto(address)
        assert answer is not None
        assert answer.status == 200, address
        for button in alarmed.locator("main form:has(button:text-matches('^(Show|Open)'))").all()[:1]:
            button.locator("button").first.click()
        assert alarmed.locator(FOREIGN).count() == 0, address
        assert "7700001" not in alarmed.locator("main").inner_text(), address
        assert "\u202e" not in alarmed.locator("main").inner_text(), address
