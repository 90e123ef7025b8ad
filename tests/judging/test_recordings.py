"""Bringing judges' verdicts in from files: matched, refused by line and field, versions only where new."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from judging.models import JudgeVersion, RecordedVerdict, Recording
from labeling.formats.source import LARGEST_ROW
from labeling.models import AuditEvent, Candidate, CriteriaSet
from tests.factories import make_criteria_set, make_judge
from tests.judging.recorded import load_file, write_rows
from tests.labeling.importing import import_rows

pytestmark = pytest.mark.django_db

TEXTS = ("Ja.", "Nein.", "Vielleicht.", "Doch.")


@pytest.fixture
def criteria_set() -> CriteriaSet:
    """A set with the rows q1 to q4."""
    made = make_criteria_set("replies")
    rows = [{"id": f"q{number}", "candidate": text, "human": "PASS"} for number, text in enumerate(TEXTS, 1)]
    import_rows("replies", *rows)
    return made


def says(judge: str, verdict: Any, **more: Any) -> dict[str, Any]:
    return {"judge": judge, "verdict": verdict} | more


def heard(slug: str) -> dict[str, str]:
    """What the newest version of a judge has recorded: outcome by the candidate's text."""
    newest = JudgeVersion.objects.filter(judge__slug=slug).latest("number")
    found = RecordedVerdict.objects.filter(recording=newest.recording)
    return dict(found.values_list("candidate__output", "outcome"))


def test_every_judge_of_a_published_row_form_becomes_a_recorded_judge(
    criteria_set: CriteriaSet, tmp_path: Path
) -> None:
    rows: list[dict[str, Any]] = [
        {"candidate": "Ja.", "judges": [says("GPT/no-cot+ref", "pass"), says("评审", "FAIL", reason="短")]},
        {"candidate": "Nein.", "judges": [says("GPT/no-cot+ref", None)]},
        {"candidate": "Vielleicht.", "judges": []},
    ]

    code, said = load_file(
        write_rows(tmp_path / "set.jsonl", *rows), "replies", "--all", "--family", "openai"
    )

    assert (code, len(said.splitlines())) == (0, 3)
    assert heard("gpt-no-cot-ref") == {"Ja.": "pass", "Nein.": "skipped"}
    version = JudgeVersion.objects.get(judge__slug="judge-66faf426")
    assert (version.kind, version.family, version.has_recorded) == ("recorded", "openai", True)
    assert version.recording is not None
    assert (version.recording.source, version.recording.verdicts.get().explanation) == ("评审", "短")
    assert version.judge.live_version == version


@pytest.mark.parametrize(
    "content",
    [
        '{"id": "q1", "verdict": "pass", "score": 0.9, "scores": {"meets_criteria": 1}}\n'
        '{"id": "q2", "verdict": null}',
        '[{"candidate": "Ja.", "verdict": "PASS", "score": 0.9, "scores": {"meets_criteria": 1}},'
        '{"candidate": "Nein.", "verdict": null, "score": 0.2}]',
        'id,verdict,score,scores,reason\nq1,pass,0.9,"{""meets_criteria"": 1}",\nq2,,,,\n',
        'candidate,verdict,score,scores\r\nJa.,pass,0.9,"{""meets_criteria"": 1}"\r\nNein.,,,\r\n',
    ],
)
def test_a_plain_list_of_verdicts_comes_in_whatever_its_form(
    content: str, criteria_set: CriteriaSet, tmp_path: Path
) -> None:
    path = tmp_path / "verdicts.txt"
    path.write_text(content, encoding="utf-8-sig")

    assert load_file(path, "replies", "--judge", "other-tool")[0] == 0

    assert heard("other-tool") == {"Ja.": "pass", "Nein.": "skipped"}
    passed = RecordedVerdict.objects.get(outcome="pass")
    assert (passed.score, passed.scores) == (0.9, {"meets_criteria": 1})
    assert RecordedVerdict.objects.get(outcome="skipped").score is None


def test_a_row_without_a_verdict_gets_one_from_a_score_on_every_criterion(
    criteria_set: CriteriaSet, tmp_path: Path
) -> None:
    scored = [{"id": f"q{number}", "scores": {"meets_criteria": number % 2}} for number in (1, 2)]

    load_file(write_rows(tmp_path / "v.jsonl", *scored), "replies", "--judge", "scorer")

    assert heard("scorer") == {"Ja.": "pass", "Nein.": "fail"}


@pytest.mark.parametrize(
    ("row", "field", "sentence"),
    [
        ({"id": "q9", "verdict": "pass"}, "id", "No row of replies came in as 'q9'"),
        ({"candidate": "Other.", "verdict": "pass"}, "candidate", "no row with these very texts"),
        ({"verdict": "pass"}, "candidate", "names no candidate"),
        ({"id": "q1", "verdict": "good"}, "verdict", "'good' is not a verdict"),
        ({"id": "q1", "scores": {"tone": 1}}, "verdict", "no verdict and no score on every criterion"),
        ({"id": "q1", "verdict": "pass", "score": 7}, "score", "a number from 0 to 1"),
        ({"id": "q1", "verdict": "pass", "scores": {"tone": "high"}}, "scores", "'tone' must be a number"),
        ({"id": "q1", "verdict": "pass", "scores": [1]}, "scores", "must be an object"),
        ({"id": "q1", "verdict": "pass", "reason": 7}, "reason", "must be text"),
        ({"id": "q1", "verdict": "pass", "reason": "\0"}, "reason", "NUL character"),
        ({"id": "q1", "judges": [says("a\u202eb", "pass")]}, "judges[1].judge", "cannot be seen"),
        ({"id": "q1", "judges": [{"verdict": "pass"}]}, "judges[1].judge", "does not say which judge"),
        ({"id": "q1", "judges": [says("a", 1)]}, "judges[1].verdict", "1 is not a verdict"),
        ({"id": "q1", "judges": [says("a", "pass")] * 2}, "judges[2]", "appears twice in this row"),
        ({"id": "q1", "judges": {"a": "pass"}}, "judges", "must be a list of objects"),
    ],
)
def test_a_row_that_cannot_be_taken_is_named_and_nothing_of_the_file_is_kept(
    row: dict[str, Any], field: str, sentence: str, criteria_set: CriteriaSet, tmp_path: Path
) -> None:
    path = write_rows(tmp_path / "v.jsonl", {"id": "q2", "judges": [says("a", "fail")]}, row)

    code, said = load_file(path, "replies", "--all", "--json")

    (refused,) = json.loads(said)["refused"]
    assert (code, refused["line"], refused["field"]) == (1, 2, field)
    assert sentence in refused["reason"]
    assert not JudgeVersion.objects.exists()
    assert not Recording.objects.exists()


def test_the_good_rows_of_a_file_are_kept_where_that_is_asked_for(
    criteria_set: CriteriaSet, tmp_path: Path
) -> None:
    path = write_rows(tmp_path / "v.jsonl", {"id": "q9", "verdict": "pass"}, {"id": "q1", "verdict": "pass"})

    code, said = load_file(path, "replies", "--judge", "a", "--keep-good")

    assert (code, heard("a")) == (0, {"Ja.": "pass"})
    assert "line 1, id: No row of replies came in as 'q9'" in said


def test_a_check_keeps_nothing(criteria_set: CriteriaSet, tmp_path: Path) -> None:
    path = write_rows(tmp_path / "v.jsonl", {"id": "q1", "verdict": "pass"})

    code, said = load_file(path, "replies", "--judge", "a", "--dry-run")

    assert (code, "can be loaded for replies. This was a check" in said) == (0, True)
    assert not JudgeVersion.objects.exists()


def test_of_a_candidate_that_a_file_has_twice_the_first_usable_word_counts(
    criteria_set: CriteriaSet, tmp_path: Path
) -> None:
    verdicts = [("q1", "pass"), ("q1", "fail"), ("q2", None), ("q2", "fail"), ("q2", None), ("q1", "pass")]

    _, said = load_file(
        write_rows(tmp_path / "v.jsonl", *({"id": row, "verdict": each} for row, each in verdicts)),
        "replies",
        "--judge",
        "a",
    )

    assert heard("a") == {"Ja.": "pass", "Nein.": "fail"}
    assert "contradicts itself in 1 row" in said
    assert "Lines: 2 (against 1)." in said


def test_a_file_that_says_nothing_new_makes_no_version_and_a_corrected_one_a_draft(
    criteria_set: CriteriaSet, tmp_path: Path
) -> None:
    first = write_rows(tmp_path / "v.jsonl", {"id": "q1", "verdict": "pass"}, {"id": "q2", "verdict": "fail"})
    again = write_rows(tmp_path / "w.jsonl", {"id": "q2", "verdict": "fail"}, {"id": "q1", "verdict": "pass"})
    corrected = write_rows(
        tmp_path / "x.jsonl", {"id": "q1", "verdict": "fail"}, {"id": "q2", "verdict": "fail"}
    )

    said = [load_file(path, "replies", "--judge", "a")[1] for path in (first, again, corrected)]

    assert "a: created, version 1 (live): 1 pass, 1 fail" in said[0]
    assert "a: unchanged, version 1 (live)" in said[1]
    assert "a: new version 2 (a draft; version 1 is live" in said[2]
    assert "version 2 (live)" in load_file(corrected, "replies", "--judge", "a", "--promote")[1]
    assert Recording.objects.count() == 2


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ([], "Several judges speak in this file: “a b”, “a+b”. Choose one, or all. (--name NAME or --all)"),
        (["--all"], "“a b”, “a+b” would both be called “a-b” here"),
        (["--name", "c"], "There is no judge 'c' in it, but “a b”, “a+b”."),
        (["--all", "--name", "a b"], "--all takes every judge by its own name"),
    ],
)
def test_which_judge_is_meant_must_be_said(
    options: list[str], sentence: str, criteria_set: CriteriaSet, tmp_path: Path
) -> None:
    path = write_rows(
        tmp_path / "v.jsonl", {"id": "q1", "judges": [says("a b", "pass"), says("a+b", "fail")]}
    )

    code, said = load_file(path, "replies", *options)

    assert (code, sentence in said) == (2, True)


def test_a_file_of_very_many_judges_is_refused_before_anything_is_written(
    criteria_set: CriteriaSet, tmp_path: Path
) -> None:
    path = write_rows(
        tmp_path / "v.jsonl", {"id": "q1", "judges": [says(f"j{number}", "pass") for number in range(201)]}
    )

    code, said = load_file(path, "replies", "--all")

    assert (code, "More than 200 judges speak in this file." in said) == (2, True)
    assert not Recording.objects.exists()
    assert load_file(path, "replies", "--name", "j200")[0] == 0


@pytest.mark.parametrize("options", [["--all"], ["--name", "a"], ["--judge", "b"], ["--all", "--keep-good"]])
def test_where_every_row_is_refused_the_report_says_why(
    options: list[str], criteria_set: CriteriaSet, tmp_path: Path
) -> None:
    path = write_rows(tmp_path / "v.jsonl", {"id": 7, "judge": "a", "verdict": "pass"}, {"verdict": "pass"})

    code, said = load_file(path, "replies", *options)

    assert (code, "Nothing of v.jsonl was kept: it has refused rows." in said) == (1, True)
    assert "line 1, id: " in said
    assert "line 2, candidate: The row names no candidate." in said


def test_a_judge_of_the_same_name_on_another_set_is_another_judge(
    criteria_set: CriteriaSet, tmp_path: Path
) -> None:
    make_criteria_set("other")
    import_rows("other", {"id": "q1", "candidate": "Ja.", "human": "PASS"})
    make_judge("opus")
    path = write_rows(
        tmp_path / "v.jsonl", {"id": "q1", "judges": [says("gpt-4", "pass"), says("Opus", "pass")]}
    )

    for slug in ("replies", "other"):
        load_file(path, slug, "--all")

    recorded = JudgeVersion.objects.filter(kind="recorded").order_by("judge__slug")
    assert [str(each) for each in recorded] == ["gpt-4@1", "gpt-4-other@1", "opus-other@1", "opus-replies@1"]


@pytest.mark.parametrize(
    ("content", "options", "sentence"),
    [
        ('{"id": "q1", "verdict": "pass"}', [], "does not say whose verdicts these are"),
        (
            '{"id": "q1", "verdict": "pass"}',
            ["--judge", "taken"],
            "“taken” is a model. Give the recorded judge a",
        ),
        ('{"id": "q1"}', ["--judge", "a"], "No judge speaks in this file"),
        ('{"candidate_a": "x", "candidate_b": "y", "judges": []}', ["--all"], "pairwise"),
        ("id,judge\nq1,a\n", ["--all"], "needs a column “verdict”"),
        ("id,verdict,why\nq1,pass,x\n", ["--judge", "a"], "'why' says nothing here"),
        ("id,verdict,verdict\nq1,pass,fail\n", ["--judge", "a"], "has the column 'verdict' twice"),
        ('{"id": "q1", "verdict": "pass"}', ["--family", "x" * 500], "“family” has 500 characters"),
        ('{"id": "q1", "verdict": "pass"}', ["--family", "a\u202eb"], "that nobody can see"),
        ("", ["--judge", "a"], "empty"),
        (
            'id,verdict,reason\nq1,pass,"so\n',
            ["--judge", "a"],
            "no CSV that can be read (unexpected end of data)",
        ),
    ],
)
def test_a_file_that_cannot_be_read_as_verdicts_is_wrong_use(
    content: str, options: list[str], sentence: str, criteria_set: CriteriaSet, tmp_path: Path
) -> None:
    make_judge("taken")
    (tmp_path / "v").write_text(content)

    code, said = load_file(tmp_path / "v", "replies", *options)

    assert (code, sentence in said) == (2, True), said


def test_a_cell_longer_than_any_row_may_be_is_wrong_use(criteria_set: CriteriaSet, tmp_path: Path) -> None:
    (tmp_path / "v").write_text("id,verdict\nq1," + "x" * (LARGEST_ROW + 1))

    code, said = load_file(tmp_path / "v", "replies", "--judge", "a")

    assert (code, "no CSV that can be read (field larger than" in said) == (2, True), said


def test_rows_of_a_csv_file_are_refused_by_line(criteria_set: CriteriaSet, tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_text('id,verdict,scores\nq1,pass\nq2,pass,{1}\nq3,pass,"{""a"": 1}"\n')

    _, said = load_file(tmp_path / "v.csv", "replies", "--judge", "a", "--keep-good")

    assert "line 2, row: The row has another number of cells than the heading." in said
    assert "line 3, scores: This is not valid JSON" in said
    assert heard("a") == {"Vielleicht.": "pass"}


def test_an_id_of_several_rows_names_none(criteria_set: CriteriaSet, tmp_path: Path) -> None:
    import_rows("replies", {"id": "q1", "candidate": "Another.", "human": "PASS"})
    path = write_rows(tmp_path / "v.jsonl", {"id": "q1", "verdict": "pass"})

    _, said = load_file(path, "replies", "--judge", "a")

    assert "2 rows of replies came in as 'q1'. Give the texts instead." in said


def test_an_unknown_set_is_wrong_use(tmp_path: Path) -> None:
    code, said = load_file(write_rows(tmp_path / "v", {"id": "q", "verdict": "pass"}), "none", "--judge", "a")

    assert (code, said.startswith("There is no criteria set 'none'.")) == (2, True)


def test_loading_is_recorded(criteria_set: CriteriaSet, tmp_path: Path) -> None:
    load_file(write_rows(tmp_path / "v.jsonl", {"id": "q1", "verdict": "pass"}), "replies", "--judge", "a")

    event = AuditEvent.objects.get(action="recording_loaded")
    assert (event.subject, event.criteria_set, event.details["rows"]) == ("a@1", criteria_set, 1)


def test_loading_asks_the_database_the_same_for_any_number_of_rows(
    criteria_set: CriteriaSet, tmp_path: Path, django_assert_max_num_queries: Any
) -> None:
    candidates = [{"candidate": f"Number {number}.", "human": "PASS"} for number in range(400)]
    import_rows("replies", *candidates)
    rows = [
        {"candidate": row["candidate"], "judges": [says("a", "pass"), says("b", "fail")]}
        for row in candidates
    ]
    path = write_rows(tmp_path / "v.jsonl", *rows)

    with django_assert_max_num_queries(50):
        load_file(path, "replies", "--all")

    assert Candidate.objects.count() == 404
    assert RecordedVerdict.objects.count() == 800


def test_an_export_of_judges_leaves_recorded_ones_out(criteria_set: CriteriaSet, tmp_path: Path) -> None:
    load_file(write_rows(tmp_path / "v.jsonl", {"id": "q1", "verdict": "pass"}), "replies", "--judge", "a")
    make_judge("model")
    out = StringIO()

    call_command("export_judges", stdout=out)
    with pytest.raises(CommandError, match="The verdicts of a came from a file"):
        call_command("export_judges", "a", stdout=out)

    assert 'slug = "model"' in out.getvalue()
    assert 'slug = "a"' not in out.getvalue()
