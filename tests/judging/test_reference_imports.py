"""Pairs from files become reference sets: the better output is good, the worse one deficient."""

import json
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from judging.models import ReferenceSet
from judging.services.reference_imports import import_references
from judging.services.reference_report import ReferenceReport
from judging.services.reference_sets import make_reference_set
from labeling.models import AuditEvent, Candidate, CriteriaSet, Slot, Submission
from labeling.services.golden_rows import golden_rows
from labeling.services.imports import FileProblem, ImportProblem, import_golden
from labeling.services.relabeling import ask_for_labels
from tests.factories import live, make_candidate, make_criteria_set, make_user

pytestmark = pytest.mark.django_db


def pair(number: int = 1, votes: str = "aab", **changes: Any) -> dict[str, Any]:
    """A pair with one vote of each annotator; `t` is a tie, `-` no vote."""
    said = {"a": "a", "b": "b", "t": "tie", "-": None}
    human = [{"annotator": f"a{n}", "vote": said[vote]} for n, vote in enumerate(votes, start=1)]
    row = {"id": f"pair-{number}", "request": f"Ask {number}.", "human": human}
    return row | {"candidate_a": f"First {number}.", "candidate_b": f"Second {number}."} | changes


def bring_in(*rows: dict[str, Any], slug: str = "replies", **more: Any) -> ReferenceReport:
    content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    return import_references(stream=BytesIO(content), file_name="pairs.jsonl", slug=slug, **more)


def marked(name: str) -> tuple[str, str]:
    """The good and the deficient output of a set."""
    members = ReferenceSet.objects.get(name=name).members.select_related("candidate").order_by("-is_good")
    good, deficient = [member.candidate.output for member in members]
    return good, deficient


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies")


def test_the_winner_is_good_and_the_loser_deficient(criteria_set: CriteriaSet) -> None:
    report = bring_in(pair(1, "aab"), pair(2, "bba"))

    assert (report.kept, report.counts["sets"], report.counts["candidates"]) == (True, 2, 4)
    assert marked("pair-1") == ("First 1.", "Second 1.")
    assert marked("pair-2") == ("Second 2.", "First 2.")


def test_the_file_s_own_final_vote_comes_before_the_majority(criteria_set: CriteriaSet) -> None:
    gold = [*pair(1, "aa")["human"], {"annotator": "Gold", "vote": "b"}]

    bring_in(pair(1, human=gold), pair(2, "aab"), pair(3, "bbb"), gold="")

    assert [marked(f"pair-{n}")[0] for n in (1, 2, 3)] == ["Second 1.", "First 2.", "Second 3."]


def test_one_annotator_may_be_named_whose_vote_decides(criteria_set: CriteriaSet) -> None:
    report = bring_in(pair(1, "aab"), pair(2, "aa-"), gold="a3")

    assert marked("pair-1")[0] == "Second 1."
    assert report.counts["undecided"] == 1


def test_ties_and_pairs_without_a_majority_are_left_out_and_counted(criteria_set: CriteriaSet) -> None:
    report = bring_in(pair(1, "tta"), pair(2, "ab"), pair(3, "abt"), pair(4, "--"), pair(5, "a--"))

    assert (report.counts["ties"], report.counts["undecided"], report.counts["sets"]) == (1, 3, 1)


@pytest.mark.parametrize(
    ("changes", "field", "reason"),
    [
        ({"candidate_b": None}, "candidate_b", "a pair needs both"),
        ({"candidate_b": "First 2."}, "candidate_b", "the same text"),
        ({"candidate_b": 5}, "candidate_b", "must be text"),
        ({"human": [{"annotator": "a1", "vote": "left"}]}, "human[1].vote", "no vote"),
        ({"human": [{"annotator": "", "vote": "a"}]}, "human[1].annotator", "no name"),
        ({"human": [{"annotator": "a1", "vote": "a"}] * 2}, "human[2]", "appears twice"),
        (
            {"human": [{"annotator": n, "vote": "a"} for n in ("gold", "consensus")]},
            "human",
            "two final votes",
        ),
        ({"id": "pair-1"}, "id", "also the id of line 1"),
        ({"request": "\u0000"}, "request", "NUL"),
    ],
)
def test_a_refused_row_is_named_and_nothing_is_kept(
    criteria_set: CriteriaSet, changes: dict[str, Any], field: str, reason: str
) -> None:
    report = bring_in(pair(1), pair(2) | changes)

    (refused,) = report.refused
    assert (refused.line, refused.field, report.kept) == (2, field, False)
    assert reason in refused.reason
    assert not ReferenceSet.objects.exists()
    assert not Candidate.objects.exists()


def test_the_good_rows_of_a_bad_file_may_be_kept(criteria_set: CriteriaSet) -> None:
    report = bring_in(pair(1), pair(2, candidate_a=None), pair(3), keep_good=True)

    assert (report.kept, report.counts["sets"], report.counts["refused"]) == (True, 2, 1)


def test_the_other_way_round_is_refused_and_leaves_no_output_behind(criteria_set: CriteriaSet) -> None:
    turned = pair(1, "bbb", id="other")

    report = bring_in(pair(1, "aaa"), turned, keep_good=True)

    assert (report.refused[0].field, report.counts["sets"]) == ("human", 1)
    assert Candidate.objects.count() == 2


def test_the_same_file_again_adds_nothing(criteria_set: CriteriaSet) -> None:
    rows = pair(1), pair(2), pair(2, id="again")
    bring_in(*rows)

    report = bring_in(*rows)

    assert (report.kept, report.counts["sets"], report.counts["sets_known"]) == (True, 0, 3)
    assert (ReferenceSet.objects.count(), Candidate.objects.count()) == (2, 4)
    assert "no pair that is new" in report.headline


def test_an_array_with_a_byte_order_mark_is_read_and_an_empty_file_refused(criteria_set: CriteriaSet) -> None:
    array = b"\xef\xbb\xbf" + json.dumps([pair(1), pair(2)]).encode()

    report = import_references(stream=BytesIO(array), file_name="pairs.json", slug="replies")

    assert report.counts["sets"] == 2
    with pytest.raises(FileProblem, match=r"empty|no rows"):
        import_references(stream=BytesIO(b""), file_name="none.jsonl", slug="replies")


def test_a_check_keeps_nothing(criteria_set: CriteriaSet) -> None:
    report = bring_in(pair(1), dry_run=True)

    assert (report.acceptable, report.kept, ReferenceSet.objects.count()) == (True, False, 0)


def test_a_set_is_made_of_the_first_row_with_a_scale_that_can_tell_two_apart() -> None:
    asked = [{"name": "overall", "description": "Which response is better."}]

    report = bring_in(pair(1, criteria=asked), slug="fresh", create=True)

    criterion = live(CriteriaSet.objects.get(slug="fresh")).criteria.get()
    assert (criterion.name, criterion.scale_min, criterion.scale_max) == ("overall", 1, 5)
    assert "compared by “Which response is better.”" in report.notes[0]


def test_without_the_set_or_with_rows_of_another_form_the_file_is_refused(criteria_set: CriteriaSet) -> None:
    with pytest.raises(ImportProblem, match="no criteria set 'unknown'"):
        bring_in(pair(1), slug="unknown")
    with pytest.raises(FileProblem, match="not pairwise"):
        bring_in({"candidate": "Hello.", "human": "PASS"})


def test_pairs_do_not_count_for_certificates_unless_somebody_says_so(criteria_set: CriteriaSet) -> None:
    bring_in(pair(1))
    bring_in(pair(2), decides=True)

    assert list(ReferenceSet.objects.values_list("decides", "source")) == [
        (False, "pairs.jsonl"),
        (True, "pairs.jsonl"),
    ]


def test_nobody_is_asked_to_label_what_came_in_pairs(criteria_set: CriteriaSet) -> None:
    bring_in(pair(1))

    asked = ask_for_labels(version=live(criteria_set), actor=make_user(lead_of=criteria_set))

    assert (asked, Slot.objects.count()) == (0, 0)
    assert set(Candidate.objects.values_list("split", flat=True)) == {"tune"}
    assert list(golden_rows(live(criteria_set))) == []


def test_what_came_in_pairs_may_become_golden_later(criteria_set: CriteriaSet) -> None:
    bring_in(pair(1))
    row = json.dumps({"request": "Ask 1.", "candidate": "First 1."}).encode()

    report = import_golden(stream=BytesIO(row), file_name="rows.jsonl", slug="replies")

    assert (report.counts["candidates_known"], report.counts["submissions"]) == (1, 1)
    assert [exported.output for exported in golden_rows(live(criteria_set))] == ["First 1."]
    assert Slot.objects.count() == 1


def test_a_row_that_was_there_keeps_its_place(criteria_set: CriteriaSet) -> None:
    row = make_candidate(criteria_set, "First 1.", request="Ask 1.", split="certify")

    bring_in(pair(1))

    row.refresh_from_db()
    assert (row.split, row.submissions.count()) == ("certify", 0)
    assert Submission.objects.count() == 1  # of the other one


def test_a_name_that_another_set_has_is_refused(criteria_set: CriteriaSet) -> None:
    good, deficient = (make_candidate(criteria_set, output) for output in ("Good.", "Bad."))
    make_reference_set(version=live(criteria_set), name="pair-1", good=[good.pk], deficient=[deficient.pk])

    report = bring_in(pair(1))

    assert "name of another reference set" in report.refused[0].reason


def test_an_import_is_recorded(criteria_set: CriteriaSet) -> None:
    bring_in(pair(1), actor=make_user("ann", lead_of=criteria_set))

    event = AuditEvent.objects.get(action="reference_import")
    assert (event.subject, event.details["sets"], str(event.actor)) == ("pairs.jsonl", 1, "ann")


def test_the_command_reports_in_words_and_as_json(
    criteria_set: CriteriaSet, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text(json.dumps(pair(1)) + "\n" + json.dumps(pair(2, candidate_a=None)))

    with pytest.raises(SystemExit) as refused:
        call_command("import_references", path, criteria_set="replies")
    call_command("import_references", path, criteria_set="replies", keep_good=True, json=True)

    words, report = capsys.readouterr().out.split("{", 1)
    assert (refused.value.code, "line 2, candidate_a:" in words) == (1, True)
    assert json.loads("{" + report)["counts"]["sets"] == 1


def test_the_command_names_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="cannot be read") as failed:
        call_command("import_references", tmp_path / "none.jsonl", criteria_set="replies")

    assert failed.value.returncode == 2


@pytest.mark.parametrize("name", ["a\x1b[31mb", "a\u202eb", "a\u200bb"])
def test_an_id_that_nobody_can_see_is_no_name(criteria_set: CriteriaSet, name: str) -> None:
    report = bring_in(pair(1, id=name), pair(2))

    assert (report.kept, [(each.line, each.field) for each in report.refused]) == (False, [(1, "id")])
    assert not ReferenceSet.objects.exists()
