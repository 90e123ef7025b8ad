"""What leads read of a judge's order, and where they make reference sets."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from judging.models import JudgeVersion, ReferenceSet, Run
from labeling.models import Candidate, CriteriaSet, Exposure
from tests.factories import make_candidate, make_criteria_set, make_judge, make_ruling, make_user
from tests.judging.dashboards import text
from tests.judging.references import make_set, make_sets, order
from tests.judging.test_reference_imports import pair

pytestmark = pytest.mark.django_db

ORDER = "/dashboard/strict/replies/order/"
SETS = "/sets/replies/references/"


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies")


@pytest.fixture
def lead(criteria_set: CriteriaSet) -> Client:
    client = Client()
    client.force_login(make_user("ann", lead_of=criteria_set))
    return client


@pytest.fixture
def judge() -> JudgeVersion:
    return make_judge("strict")


def newer(judge: JudgeVersion) -> JudgeVersion:
    """Version 2 of a judge, a draft."""
    return JudgeVersion.objects.create(
        judge=judge.judge, number=2, kind="model", model="openai/other", fingerprint="2" * 64
    )


def test_the_answer_is_one_sentence_with_its_bound(
    criteria_set: CriteriaSet, lead: Client, judge: JudgeVersion
) -> None:
    order(judge, make_sets(criteria_set, 29), "92 " * 28 + "29")

    said = text(lead.get(ORDER))

    assert "Of 29 reference sets it ordered 28 rightly; up to 16 of 100 such sets may go wrong." in said
    assert "the good one is scored higher in 96.6%" in said
    assert "does not demand an ordering test" in said


def test_a_set_in_the_wrong_order_stands_there_with_both_outputs(
    criteria_set: CriteriaSet, lead: Client, judge: JudgeVersion
) -> None:
    order(judge, make_sets(criteria_set, 1), "29")
    Candidate.objects.filter(output__startswith="Good").update(grounding="The minutes of May.")

    said = text(lead.get(ORDER))

    assert said.count("<summary>Grounding: what it may lean on</summary>") == 1
    assert "The minutes of May." in said
    assert "A deficient output passes and a good one fails." in said
    assert all(f"score {score}" in said for score in ("0.20", "0.90"))
    assert Exposure.objects.filter(what="verdicts").count() == 2


def test_rows_that_certify_stay_closed_until_a_lead_opens_them(
    criteria_set: CriteriaSet, lead: Client, judge: JudgeVersion
) -> None:
    sets = make_sets(criteria_set, 1)
    Candidate.objects.update(split="certify")
    order(judge, sets, "29")

    before = text(lead.get(ORDER))
    shown_before = Exposure.objects.filter(what="verdicts").count()
    lead.post(ORDER, {"do": "open"})
    after = text(lead.get(ORDER))

    assert ("Still closed" in before, "score 0.20" in before, shown_before) == (True, False, 0)
    assert "score 0.20" in after
    assert Exposure.objects.filter(what="verdicts").count() == 2


def test_a_new_version_stands_beside_the_live_one(
    criteria_set: CriteriaSet, lead: Client, judge: JudgeVersion
) -> None:
    sets = make_sets(criteria_set, 4)
    order(judge, sets, "92 92 29 92")
    order(newer(judge), sets, "29 29 92 92")

    said = text(lead.get(ORDER + "?judge_version=2"))

    assert "Beside strict@1" in said
    assert "Of 4 sets told under both, 2 sets broke and 1 mended." in said
    assert "may well be chance" in said
    broke = said[said.index("What broke") : said.index("What was mended")]
    assert [each.name in broke for each in sets] == [True, True, False, False]


def test_a_version_that_was_never_asked_can_be_asked_from_here(
    criteria_set: CriteriaSet, lead: Client, judge: JudgeVersion
) -> None:
    order(newer(judge), make_sets(criteria_set, 1), "92")

    said = text(lead.get(ORDER + "?judge_version=2"))
    lead.post(ORDER + "?judge_version=2", {"do": "beside"})

    assert "Ask strict@1 about them, too" in said
    assert Run.objects.get(state="running").judge_version == judge


def test_the_empty_page_says_what_to_do_and_then_offers_a_run(
    criteria_set: CriteriaSet, lead: Client, judge: JudgeVersion
) -> None:
    empty = text(lead.get(ORDER))
    make_sets(criteria_set, 2)
    offered = text(lead.get(ORDER))
    answer = lead.post(ORDER, {"do": "start"})

    run = Run.objects.get()
    assert "There is no reference set to ask about." in empty
    assert "2 sets in use, 4 calls" in offered
    assert (answer.headers["Location"], run.kind) == (f"/runs/{run.pk}/", "ordering")
    assert f"run {run.pk}" in text(lead.get(ORDER))


def test_what_the_policy_makes_of_it_is_said(
    criteria_set: CriteriaSet, lead: Client, judge: JudgeVersion
) -> None:
    CriteriaSet.objects.update(demand_ordering=True)
    pairs = make_sets(criteria_set, 1, decides=False)
    order(judge, pairs, "29")
    not_met = text(lead.get(ORDER))
    order(judge, [*pairs, make_set(criteria_set)], "29 92")
    met = text(lead.get(ORDER))

    assert "none of these sets counts for certificates, so it is not met" in not_met
    assert "the one set that counts for certificates is in order" in met


def test_the_page_takes_as_many_queries_for_many_sets(
    criteria_set: CriteriaSet, lead: Client, judge: JudgeVersion
) -> None:
    counts = []
    for number in (2, 4):
        sets = make_sets(criteria_set, number)
        order(judge, sets, "29 " * number)
        lead.get(ORDER)  # what is noted of a reader is noted once
        with CaptureQueriesContext(connection) as queries:
            lead.get(ORDER)
        counts.append(len(queries))

    assert counts[0] == counts[1]


def golden_request(criteria_set: CriteriaSet, request: str = "Which day?") -> tuple[Candidate, Candidate]:
    good = make_candidate(criteria_set, f"{request} Friday.", request=request)
    bad = make_candidate(criteria_set, f"{request} Who knows.", request=request)
    make_ruling(good, "pass")
    make_ruling(bad, "fail")
    return good, bad


def test_a_set_is_made_of_golden_rows_as_people_settled_them(criteria_set: CriteriaSet, lead: Client) -> None:
    golden_request(criteria_set, "What year?")
    good, bad = golden_request(criteria_set)
    make_ruling(make_candidate(criteria_set, "Alone.", request="Nothing fails here."), "pass")

    listed = text(lead.get(SETS + "add/"))
    pick = f"{SETS}add/?like={bad.pk}"
    form = text(lead.get(pick))
    lead.post(pick, {"name": "Days", f"row_{good.pk}": "good", f"row_{bad.pk}": "deficient"})

    made = ReferenceSet.objects.get()
    assert listed.index("Which day?") < listed.index("What year?")  # the newest first
    assert "Nothing fails here." not in listed
    assert form.count("selected") == 2
    assert (made.name, made.decides, made.source) == ("Days", True, "")
    assert dict(made.members.values_list("candidate", "is_good")) == {good.pk: True, bad.pk: False}
    assert Exposure.objects.filter(what="labels", user__username="ann").count() == 2


@pytest.mark.parametrize(
    ("good", "bad", "reason"),
    [
        ("deficient", "good", "cannot be marked clearly deficient"),
        ("good", "", "at least one clearly deficient"),
    ],
)
def test_a_pick_that_can_be_no_set_is_refused(
    criteria_set: CriteriaSet, lead: Client, good: str, bad: str, reason: str
) -> None:
    passed, failed = golden_request(criteria_set)
    marks = {"name": "Days", f"row_{passed.pk}": good, f"row_{failed.pk}": bad}

    answer = lead.post(f"{SETS}add/?like={passed.pk}", marks)

    assert (answer.status_code, ReferenceSet.objects.count()) == (422, 0)
    assert reason in text(answer)


def test_a_file_of_pairs_comes_in_by_the_page(criteria_set: CriteriaSet, lead: Client) -> None:
    rows = json.dumps(pair(1)) + "\n" + json.dumps(pair(2, "t"))

    lead.post(SETS + "import/", {"file": SimpleUploadedFile("pairs.jsonl", rows.encode())})

    said = text(lead.get(SETS))
    assert "1 new reference set; 2 new outputs; 1 tie left out" in said
    assert "figures only" in said


def test_a_file_with_a_bad_row_is_named_on_the_page(criteria_set: CriteriaSet, lead: Client) -> None:
    bad = json.dumps(pair(1, candidate_a=None))

    answer = lead.post(SETS + "import/", {"file": SimpleUploadedFile("pairs.jsonl", bad.encode())})

    assert (answer.status_code, ReferenceSet.objects.count()) == (422, 0)
    assert "a pair needs both" in text(answer)


def test_a_set_is_renamed_retired_used_again_and_let_decide(criteria_set: CriteriaSet, lead: Client) -> None:
    made = make_set(criteria_set)
    url = f"{SETS}{made.pk}/"

    lead.post(url, {"name": "Another name"})
    lead.post(url, {"do": "figures"})
    lead.post(url, {"do": "retire"})
    made.refresh_from_db()
    retired = made.retired_at
    lead.post(url, {"do": "use"})

    made.refresh_from_db()
    assert (made.name, made.decides, made.retired_at) == ("Another name", False, None)
    assert retired is not None


def test_a_name_that_is_taken_is_refused(criteria_set: CriteriaSet, lead: Client) -> None:
    one, other = make_sets(criteria_set, 2)

    answer = lead.post(f"{SETS}{one.pk}/", {"name": other.name})

    assert answer.status_code == 422
    assert "of that name already" in text(answer)


def test_where_people_changed_their_mind_the_list_says_so(criteria_set: CriteriaSet, lead: Client) -> None:
    made, _ = make_set(criteria_set), make_set(criteria_set)
    make_ruling(made.members.get(is_good=True).candidate, "fail")

    assert "people say otherwise" in text(lead.get(SETS))
    assert "1 set in use; 1 of them counts for" in text(lead.get(SETS))
    assert "retire it, and make another" in text(lead.get(f"{SETS}{made.pk}/"))


def test_a_name_from_a_file_is_shown_as_text(
    criteria_set: CriteriaSet, lead: Client, judge: JudgeVersion
) -> None:
    hostile = "<script>alert(1)</script>"
    rows = json.dumps(pair(1, id=hostile)).encode()
    lead.post(SETS + "import/", {"file": SimpleUploadedFile("\u202epairs.jsonl", rows)})
    made = ReferenceSet.objects.get()
    order(judge, [made], "29")

    pages = [text(lead.get(url)) for url in (SETS, f"{SETS}{made.pk}/", ORDER)]

    assert made.name == hostile
    assert not any("<script>alert" in page or "\u202epairs" in page for page in pages)


def test_these_pages_are_for_leads_of_the_set(criteria_set: CriteriaSet, judge: JudgeVersion) -> None:
    made = make_set(criteria_set)
    addresses = [ORDER, SETS, SETS + "add/", SETS + "import/", f"{SETS}{made.pk}/"]
    labeler, stranger = Client(), Client()
    labeler.force_login(make_user(labels=criteria_set))
    stranger.force_login(make_user(lead_of=make_criteria_set("other")))

    assert {labeler.get(each).status_code for each in addresses} == {403}
    assert {stranger.get(each).status_code for each in addresses} == {404}
    assert {stranger.post(each).status_code for each in addresses if each != SETS} == {404}


def test_another_set_s_reference_set_is_not_found(criteria_set: CriteriaSet, lead: Client) -> None:
    theirs = make_set(make_criteria_set("other"))

    assert lead.get(f"{SETS}{theirs.pk}/").status_code == 404
    assert lead.get(f"{SETS}add/?like={theirs.members.first().candidate_id}").status_code == 404  # type: ignore[union-attr]
