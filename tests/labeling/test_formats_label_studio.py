"""Tasks of Label Studio as its exports have them, and as it imports them."""

import io
import json
from typing import Any

import pytest

from labeling.formats import label_studio
from labeling.formats.columns import columns_of
from labeling.formats.detect import detect
from labeling.formats.field_mapping import KEEP
from labeling.formats.rows import Decision, FileProblem, Refused, Row
from tests.labeling.format_rows import opinion, read, refused_in, rows_of

type Fields = dict[str, Any]
MAPPING = {"text": "candidate", "result.quality": "human"}


def chose(word: Any, control: str = "quality") -> Fields:
    words = word if isinstance(word, list) else [word]
    return {"from_name": control, "to_name": "text", "type": "choices", "value": {"choices": words}}


def annotation(*results: Fields, by: Any = 7, **more: Any) -> Fields:
    return {"id": 1001, "completed_by": by, "was_cancelled": False, "result": list(results)} | more


def tasks(*annotations: Fields, **more: Any) -> str:
    data = {"text": "Hi.", "source": "web"}
    return json.dumps([{"id": 12, "data": data, "annotations": list(annotations), "project": 3} | more])


def test_an_exported_task() -> None:
    stars = {"from_name": "tone", "type": "rating", "value": {"rating": 4}}
    said = {"from_name": "why", "type": "textarea", "value": {"text": ["kind", "and short"]}}
    skipped = annotation(was_cancelled=True)
    truth = annotation(chose("Bad"), by=1, ground_truth=True)
    content = tasks(annotation(chose("Good"), stars, said), skipped, truth, predictions=[{"result": []}] * 2)

    (row,) = rows_of(content, "label_studio", MAPPING)

    assert detect(io.BytesIO(content.encode())) == "label_studio"
    assert (row.output, row.external_id, row.meta) == ("Hi.", "12", {"source": "web"})
    assert row.opinions == (opinion("pass", "7", comment="kind\nand short", scores={"tone": 4}),)
    assert row.decision == Decision(opinion("fail").verdict)
    assert (row.silent_annotators, row.judge_verdicts, row.element) == (1, 2, 1)


@pytest.mark.parametrize(
    ("by", "name"),
    [(7, "7"), ({"id": 7, "email": "a@example.org"}, "a@example.org"), ({"id": 7}, "7"), (None, None)],
)
def test_who_completed_an_annotation(by: Any, name: str | None) -> None:
    (row,) = rows_of(tasks(annotation(chose("good"), by=by)), "label_studio", MAPPING)

    assert row.opinions == (opinion("pass", name),)


def test_an_export_from_before_annotations_had_their_name() -> None:
    content = json.dumps({"id": 1, "data": {"text": "x"}, "completions": [annotation(chose("No"))]})

    assert rows_of(content, "label_studio", MAPPING)[0].opinions == (opinion("fail", "7"),)


def test_the_only_choice_is_the_verdict_and_of_several_one_must_be_named() -> None:
    one, other = annotation(chose("good", "a")), annotation(chose("bad", "a"), chose("no", "b"), by=8)

    assert rows_of(tasks(one), "label_studio", {"text": "candidate"})[0].opinions == (opinion("pass", "7"),)
    with pytest.raises(FileProblem, match=r"'a', 'b'\. Say which one it is.*--map human=result\.a"):
        rows_of(tasks(one, other), "label_studio", {"text": "candidate"})


def test_other_answers_stay_beside_the_row() -> None:
    content = tasks(annotation(chose("good"), chose(["x", "y"], "topics")))

    (row,) = rows_of(content, "label_studio", MAPPING)

    assert row.meta["answers"] == [{"annotator": "7", "name": "topics", "value": ["x", "y"]}]


@pytest.mark.parametrize(
    ("content", "field", "says"),
    [
        (tasks(annotation(chose("so so"))), "annotations[1]", "'so so' is not a verdict"),
        (tasks(annotation(chose(["good", "bad"]))), "annotations[1]", "is not a verdict"),
        (tasks(annotation(chose("good")), annotation(chose("bad"))), "annotations[2]", "'7' appears twice"),
        (tasks(annotation(chose("good"), chose("bad"))), "annotations[1].quality", "two verdicts"),
        (tasks(annotation(chose("good"), by="a\u202eb")), "annotations[1].completed_by", "no name"),
        (tasks(data="x"), "data", "no object “data”"),
        (tasks(data={"text": "a\0"}), "text", "NUL"),
        (tasks(data={"text": "\ud800"}), "text", "lone surrogate"),
        (tasks(annotations={}), "annotations", "a list of objects"),
    ],
)
def test_refused_by_element_field_and_reason(content: str, field: str, says: str) -> None:
    refused = refused_in(content, "label_studio", MAPPING | {"result.quality": "human"})

    assert (refused.element, refused.field) == (1, field)
    assert says in refused.reason


def test_meta_of_the_task_and_of_its_data_are_both_kept() -> None:
    (row,) = rows_of(
        tasks(data={"text": "x", "meta": "a"}, meta={"b": 1}), "label_studio", {"text": "candidate"}
    )

    assert row.meta == {"meta": "a", "task_meta": {"b": 1}}


def test_what_is_written_names_nobody_whom_label_studio_does_not_know() -> None:
    row = Row(line=1, output="x", opinions=(opinion("pass", "a1", comment="c", scores={"tone": 4}),))
    (task,) = json.loads("".join(label_studio.write([row])))

    (given,) = task["annotations"]
    assert "completed_by" not in given
    assert [(result["from_name"], result["type"]) for result in given["result"]] == [
        ("verdict", "choices"),
        ("tone", "number"),
        ("comment", "textarea"),
    ]


def test_what_label_studio_exports_again_has_its_people_still() -> None:
    row = Row(line=1, output="x", opinions=(opinion("pass", "a1"), opinion("fail", "a2", blind=False)))
    (task,) = json.loads("".join(label_studio.write([row])))
    for number, given in enumerate(task["annotations"]):
        given |= {"id": 5000 + number, "import_id": given["id"], "completed_by": 1}

    (again,) = rows_of(json.dumps([task]), "label_studio")

    assert again.opinions == row.opinions


@pytest.mark.parametrize("person", ["5", '"x"', '{"annotator": ["x"]}'])
def test_what_another_wrote_where_vera_writes_its_people_is_no_surprise(person: str) -> None:
    (task,) = json.loads(tasks(annotation(chose("good"), id=1)))
    task["meta"] = {"vera": {"people": {"1": json.loads(person)}}}

    (row,) = read(json.dumps([task]), "label_studio", {"text": "candidate"})

    assert row.field == "annotations[1].completed_by" if isinstance(row, Refused) else row.opinions


def test_a_preview_suggests_data_and_answers() -> None:
    preview = columns_of(io.BytesIO(tasks(annotation(chose("good"))).encode()), "label_studio")

    assert preview.rows == [{"text": "Hi.", "source": "web", "result.quality": "good"}]
    assert preview.suggested == {"text": "candidate", "source": "grounding", "result.quality": "human"}
    assert KEEP == ""
