"""Criteria as code: load_criteria and export_criteria."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from hypothesis import given
from hypothesis import strategies as st

from labeling.domain.criteria import CriteriaSpec, CriterionSpec, InvalidCriteria
from labeling.formats.criteria_toml import SetEntry, read_criteria, write_criteria
from labeling.models import AuditEvent, CriteriaSet, CriteriaVersion
from tests.factories import live

FILE = """
[[criteria_set]]
slug = "summaries"
name = "Summaries"
threshold = 0.8
labels_per_row = 2
policy = { bar = 0.7, min_rows = 40 }

[[criteria_set.criterion]]
name = "faithful"
description = "Says nothing the notes do not say."

[[criteria_set.criterion]]
name = "tone"
description = "Friendly."
weight = 3
scale = "graded"
minimum = 4

[[criteria_set.criterion]]
name = "short"
description = "At most ninety words."
required = false
strategy = "max_words"
params = { words = 90 }
"""


def load(tmp_path: Path, text: str, *flags: str) -> list[dict[str, object]]:
    path, out = tmp_path / "criteria.toml", StringIO()
    path.write_text(text, encoding="utf-8")
    call_command("load_criteria", str(path), "--json", *flags, stdout=out)
    answer: list[dict[str, object]] = json.loads(out.getvalue())
    return answer


@pytest.mark.django_db
def test_a_file_makes_a_set_with_its_settings_and_criteria(tmp_path: Path) -> None:
    load(tmp_path, FILE)

    criteria_set = CriteriaSet.objects.get(slug="summaries")
    assert (criteria_set.labels_per_row, str(criteria_set.bar), criteria_set.min_rows) == (2, "0.700", 40)
    assert [
        (each.name, each.scale_max, each.minimum, each.params) for each in live(criteria_set).criteria.all()
    ] == [("faithful", 1, 1, {}), ("tone", 5, 4, {}), ("short", 1, None, {"words": 90})]


@pytest.mark.django_db
def test_loading_again_changes_nothing(tmp_path: Path) -> None:
    load(tmp_path, FILE)
    events = AuditEvent.objects.count()

    assert load(tmp_path, FILE)[0]["outcome"] == "unchanged"
    assert CriteriaVersion.objects.count() == 1
    assert AuditEvent.objects.count() == events


@pytest.mark.django_db
def test_a_change_is_a_draft_unless_promoted(tmp_path: Path) -> None:
    load(tmp_path, FILE)
    changed = FILE.replace("ninety", "fifty")

    [draft] = load(tmp_path, changed)
    [promoted] = load(tmp_path, changed, "--promote")

    assert (draft["outcome"], draft["version"], draft["live_version"]) == ("new_version", 2, 1)
    assert (promoted["outcome"], promoted["live_version"]) == ("unchanged", 2)


@pytest.mark.django_db
def test_settings_that_the_file_does_not_name_stay(tmp_path: Path) -> None:
    load(tmp_path, FILE)
    CriteriaSet.objects.update(public_badge=True)

    [loaded] = load(tmp_path, FILE.replace("min_rows = 40", "min_rows = 50"))

    criteria_set = CriteriaSet.objects.get()
    assert loaded["changed"] == ["min_rows"]
    assert (criteria_set.min_rows, criteria_set.public_badge) == (50, True)


@pytest.mark.django_db
def test_export_then_load_is_a_no_op(tmp_path: Path) -> None:
    load(tmp_path, FILE)
    path = tmp_path / "exported.toml"

    call_command("export_criteria", output=str(path))
    [loaded] = load(tmp_path, path.read_text(encoding="utf-8"))

    assert loaded["outcome"] == "unchanged"
    assert loaded["changed"] == []


@pytest.mark.django_db
def test_one_bad_set_keeps_the_whole_file_out(tmp_path: Path) -> None:
    second = FILE.replace('"summaries"', '"other"').replace("labels_per_row = 2", "labels_per_row = 0")

    said = "criteria_set “other”: A row is labelled by at least one person"
    with pytest.raises(CommandError, match=said) as refused:
        load(tmp_path, FILE + second)

    assert refused.value.returncode == 2
    assert not CriteriaSet.objects.exists()


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("weight = 3", "weigth = 3", "criterion 2: unknown key “weigth”"),
        ("weight = 3", 'weight = "3"', "criterion 2: “weight” must be a whole number"),
        ("weight = 3", "weight = true", "criterion 2: “weight” must be a whole number"),
        ("min_rows", "rows", "policy: unknown key “rows”"),
        ("threshold", "treshold", "criteria_set 1: unknown key “treshold”"),
        ("0.8", "nan", "“threshold” must be a number"),
        ("[[criteria_set]]", "[[set]]", "the file: unknown key “set”"),
        ('"graded"', '"stars"', "“scale” must be “binary”, “graded” or"),
        ("minimum = 4", "", "Criterion “tone”: it is required but has no minimum"),
        ('"max_words"', '"max_wrods"', "“max_wrods” is no strategy"),
        ('name = "tone"', 'name = "faithful"', "Two criteria are called “faithful”"),
        ('slug = "summaries"', 'slug = "', "This is not TOML"),
        (FILE, "", "has no \\[\\[criteria_set\\]\\]"),
        (FILE, FILE + FILE, "two criteria sets with the slug “summaries”"),
    ],
)
def test_a_mistake_is_named_with_its_place(old: str, new: str, sentence: str) -> None:
    assert old in FILE

    with pytest.raises(InvalidCriteria, match=sentence):
        read_criteria(FILE.replace(old, new, 1))


@pytest.mark.django_db
def test_an_unknown_set_or_a_missing_file_is_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no criteria set nothing") as unknown:
        call_command("export_criteria", "nothing")
    with pytest.raises(CommandError, match="No such file") as missing:
        call_command("load_criteria", str(tmp_path / "absent.toml"))
    assert (unknown.value.returncode, missing.value.returncode) == (2, 2)


texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip)
criteria = st.builds(
    CriterionSpec,
    name=st.text("abc \"'\\#=[]é🙂", min_size=1).filter(lambda name: name == name.strip()),
    description=texts,
    weight=st.integers(1, 9),
    required=st.just(True),
    scale_min=st.integers(-3, 0),
    scale_max=st.integers(1, 5),
    minimum=st.just(1),
)


@given(texts, criteria, st.decimals("0.001", 1, places=3))
def test_whatever_is_written_is_read_back(text: str, criterion: CriterionSpec, threshold: object) -> None:
    spec = CriteriaSpec((criterion,), threshold)  # type: ignore[arg-type]
    entry = SetEntry("slug", text, text, spec, {"bar": spec.threshold, "public_badge": False})

    assert read_criteria(write_criteria([entry])) == [entry]
