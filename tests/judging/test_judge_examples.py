"""Examples in a judge's prompt: settled tune rows only, kept as they were shown, and never evidence."""

import re
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from judging.domain.judges import ExampleChoice, InvalidJudge
from judging.models import JudgeVersion
from judging.services.estimates import estimate
from judging.services.judges import add_model_version
from judging.services.runs import CannotRun, start_run
from judging.services.trials import CannotTry, offered_rows, start_trial
from labeling.models import AuditEvent, Candidate, CriteriaSet, Mark, Submission
from tests.factories import (
    live,
    make_candidate,
    make_criteria_set,
    make_label,
    make_panel,
    make_ruling,
    make_user,
)
from tests.labeling.importing import import_rows, said

pytestmark = pytest.mark.django_db


@pytest.fixture
def replies() -> CriteriaSet:
    return make_criteria_set("replies")


def tune(criteria_set: CriteriaSet, verdict: str = "pass", output: str = "", **more: Any) -> Candidate:
    """A settled tune row."""
    row = make_candidate(criteria_set, output, split="tune", **more)
    make_label(row, make_user(), verdict)
    return row


def chosen(*rows: Candidate) -> ExampleChoice:
    return ExampleChoice(rows[0].criteria_set.slug, tuple(row.content_hash for row in rows))


def told(*rows: Candidate, **more: Any) -> JudgeVersion:
    """The judge “told” with these rows as examples."""
    made_of: dict[str, Any] = {"slug": "told", "model": "openai/scripted", "family": "scripted"}
    return add_model_version(**made_of | more, examples=chosen(*rows) if rows else None)


def test_a_version_keeps_its_examples_as_they_stood(replies: CriteriaSet) -> None:
    row = tune(replies, "fail", "Hello?")
    label = row.labels.get()
    label.comment = "Too short."
    label.save()
    Mark.objects.create(label=label, criterion=live(replies).criteria.get(), score=0)

    version = told(row)

    [shown] = version.examples["rows"]
    assert (shown["candidate"], shown["verdict"], shown["comment"]) == ("Hello?", "fail", "Too short.")
    assert shown["marks"] == {"meets_criteria": 0}
    assert shown["content_hash"] == row.content_hash
    assert (version.examples["criteria_set"], version.examples["criteria_version"]) == ("replies", 1)
    assert (version.template, len(version.examples["boundary"])) == ("juror-2", 32)


def test_marks_on_which_people_differ_are_nobody_s(replies: CriteriaSet) -> None:
    row = tune(replies)
    second = make_label(row, make_user())
    for label, score in zip([row.labels.first(), second], [0, 1], strict=True):
        assert label is not None
        Mark.objects.create(label=label, criterion=live(replies).criteria.get(), score=score)

    assert told(row).examples["rows"][0]["marks"] == {}


def test_a_ruling_says_why_before_any_label(replies: CriteriaSet) -> None:
    row = tune(replies, "pass")
    ruling = make_ruling(row, "fail")
    ruling.reason = "It promises a refund."
    ruling.save()

    [shown] = told(row).examples["rows"]

    assert (shown["verdict"], shown["comment"], shown["marks"]) == ("fail", "It promises a refund.", {})


def test_any_other_row_is_refused_and_the_refusal_recorded(replies: CriteriaSet) -> None:
    good, truncated = tune(replies), tune(replies)
    Submission.objects.create(candidate=truncated, source="import", truncated=True)
    certifies = make_candidate(replies)
    make_label(certifies, make_user())
    refused = [
        (certifies, "of the certify split"),
        (make_candidate(replies, split="tune"), "is not settled"),
        (truncated, "is known to be cut off"),
        (tune(make_criteria_set("other")), "is no row of “replies”"),
    ]

    for row, sentence in refused:
        choice = ExampleChoice("replies", (good.content_hash, row.content_hash))
        with pytest.raises(InvalidJudge, match=sentence):
            add_model_version(slug="told", model="openai/x", family="x", examples=choice)

    assert not JudgeVersion.objects.exists()
    assert AuditEvent.objects.filter(action="judge_refused").count() == 4


def test_too_many_and_too_long_are_refused(replies: CriteriaSet) -> None:
    with pytest.raises(InvalidJudge, match="At most 8 rows"):
        told(*[tune(replies) for _ in range(9)])
    with pytest.raises(InvalidJudge, match="20000 are shown"):
        told(tune(replies, output="x" * 20_001))
    with pytest.raises(InvalidJudge, match="“gone” does not exist"):
        add_model_version(
            slug="told", model="openai/x", family="x", examples=ExampleChoice("gone", ("0" * 64,))
        )


def test_other_examples_are_a_new_version_and_the_same_are_not(replies: CriteriaSet) -> None:
    one, two = tune(replies), tune(replies)

    assert [told(one).number, told(one).number, told(one, two).number, told().number] == [1, 1, 2, 3]


def test_an_old_judge_keeps_its_template_until_something_else_changes() -> None:
    old = add_model_version(slug="old", model="openai/x", family="x", template="juror-1")

    same = add_model_version(slug="old", model="openai/x", family="x")
    changed = add_model_version(slug="old", model="openai/x", family="x", params={"temperature": 0})

    assert (old.pk, old.template) == (same.pk, "juror-1")
    assert (changed.number, changed.template) == (2, "juror-2")


def test_a_template_that_is_named_is_a_change_of_its_own() -> None:
    add_model_version(slug="old", model="openai/x", family="x", template="juror-1")

    newer = add_model_version(slug="old", model="openai/x", family="x", template="juror-2")

    assert (newer.number, newer.template) == (2, "juror-2")


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        ({"template": "juror-9"}, "no prompt template “juror-9”"),
        ({"template": "juror-1", "params": {"corrections": 1}}, "never asks once more"),
        ({"params": {"corrections": 2}}, "must be 0 or 1"),
        ({"params": {"corrections": True}}, "must be 0 or 1"),
    ],
)
def test_what_a_template_cannot_do_is_refused(wanted: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidJudge, match=sentence):
        add_model_version(slug="old", model="openai/x", family="x", **wanted)


def test_juror_1_shows_no_examples(replies: CriteriaSet) -> None:
    with pytest.raises(InvalidJudge, match="shows no examples"):
        told(tune(replies), template="juror-1")


# In files.


def load(text: str, path: Path) -> str:
    out = StringIO()
    (path / "judges.toml").write_text(text, encoding="utf-8")
    call_command("load_judges", str(path / "judges.toml"), stdout=out)
    return out.getvalue()


def exported() -> str:
    out = StringIO()
    call_command("export_judges", stdout=out)
    return out.getvalue()


def test_an_export_with_examples_and_an_old_template_loads_as_the_same(
    replies: CriteriaSet, tmp_path: Path
) -> None:
    told(tune(replies), tune(replies))
    add_model_version(slug="old", model="openai/x", family="x", template="juror-1")
    versions = list(JudgeVersion.objects.order_by("pk").values())

    load(exported(), tmp_path)

    assert list(JudgeVersion.objects.order_by("pk").values()) == versions
    assert 'template = "juror-1"' in exported()
    assert 'template = "juror-2"' not in exported()


def test_an_old_file_makes_no_version_because_the_template_moved_on(tmp_path: Path) -> None:
    add_model_version(slug="old", model="openai/x", family="x", template="juror-1")
    text = '[[judge]]\nslug = "old"\nkind = "model"\nmodel = "openai/x"\nfamily = "x"\n'

    assert "unchanged" in load(text, tmp_path)
    assert "new version 2" in load(text + "params = { seed = 1 }\n", tmp_path)
    assert JudgeVersion.objects.get(number=2).template == "juror-2"


def test_loading_again_keeps_examples_though_people_changed_their_word(
    replies: CriteriaSet, tmp_path: Path
) -> None:
    row = tune(replies, "pass")
    told(row)
    text = exported()
    make_ruling(row, "fail")

    assert "unchanged" in load(text, tmp_path)
    assert told(row).examples["rows"][0]["verdict"] == "fail"  # who makes it by hand gets what people say now


@pytest.mark.parametrize(
    ("examples", "sentence"),
    [
        ("{ rows = [] }", "“rows” must be a list of rows' content hashes"),
        ('{ criteria_set = "replies", rows = ["12"] }', "“rows” must be a list of rows' content hashes"),
        ('{ criteria_set = "replies", row = 1 }', "unknown key “row”"),
    ],
)
def test_a_file_s_examples_are_checked(tmp_path: Path, examples: str, sentence: str) -> None:
    text = '[[judge]]\nslug = "x"\nkind = "model"\nmodel = "openai/x"\nfamily = "x"\nexamples = '

    with pytest.raises(Exception, match=sentence):
        load(text + examples, tmp_path)


# Never evidence.


def test_a_judge_is_not_asked_about_its_own_examples(replies: CriteriaSet) -> None:
    row, other = tune(replies), tune(replies)
    panel = make_panel([told(row), add_model_version(slug="b", model="openai/b", family="b")])

    for judge in (told(row), panel):
        run = start_run(judge_version=judge, criteria_version=live(replies), kind="scoring", scope="tune")
        assert set(run.verdicts.values_list("candidate", flat=True)) == {other.pk}
        assert estimate(judge_version=judge, criteria_version=live(replies), scope="tune").rows == 1


def test_a_run_over_nothing_but_examples_is_none(replies: CriteriaSet) -> None:
    with pytest.raises(CannotRun, match="no golden rows"):
        start_run(
            judge_version=told(tune(replies)), criteria_version=live(replies), kind="scoring", scope="tune"
        )


def test_a_judge_is_not_tried_on_its_own_example(replies: CriteriaSet) -> None:
    row, other = tune(replies), tune(replies)
    version = told(row)

    assert [offer.pk for offer in offered_rows(live(replies), version)] == [other.pk]
    texts = {"request": row.request, "output": row.output, "grounding": "", "criteria_text": ""}
    for what in ({"row": row.pk}, {"texts": texts}):
        with pytest.raises(CannotTry, match="is an example in this judge's prompt"):
            start_trial(
                judge_version=version,
                criteria_version=live(replies),
                actor=make_user(),
                **what,
            )


def test_an_example_never_comes_to_certify(replies: CriteriaSet) -> None:
    import_rows("replies", said("Told.", "PASS", split="tune"), said("Asked."))
    version = told(Candidate.objects.get(output="Told."))

    import_rows("replies", said("Told.", "PASS", split="certify"))

    run = start_run(
        judge_version=version, criteria_version=live(replies), scope="all", include_unlabelled=True
    )
    assert dict(Candidate.objects.values_list("output", "split")) == {"Told.": "tune", "Asked.": "certify"}
    assert [verdict.candidate.output for verdict in run.verdicts.all()] == ["Asked."]


def test_nothing_in_the_code_moves_a_row_to_another_split() -> None:
    root = Path(__file__).resolve().parents[2]
    moves = re.compile(r"\.split\s*=[^=]|\bupdate\([^)]*\bsplit\s*=|update_fields=[^)]*\"split\"")
    sources = [path for app in ("labeling", "judging", "demo") for path in (root / app).rglob("*.py")]

    found = [path.name for path in sources if moves.search(path.read_text(encoding="utf-8"))]

    assert found == ["import_jobs.py"]  # there it is where the rows of a file shall go, which are none yet
