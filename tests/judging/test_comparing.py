"""Two judge versions, or two generators under one judge, on the same rows: from services and the shell."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from statsmodels.stats.contingency_tables import mcnemar

from judging.domain.comparison import Change, Changes, change_of, was_right
from judging.models import JudgeVersion, Run, Verdict
from judging.services.certification import golden_set_changed
from judging.services.comparing import (
    CannotCompare,
    Paired,
    compared,
    counts_of,
    further_outputs,
    generators,
    generators_of,
    judges_on_certify_rows,
    judges_on_tune_rows,
    moved_of,
    moved_rows,
    read_moved,
)
from judging.services.replays import count_replay
from labeling.models import Candidate, CriteriaSet
from tests.factories import live, make_candidate, make_criteria_set, make_judge, make_panel
from tests.judging.golden import certified, correct, make_run, make_verdict

pytestmark = pytest.mark.django_db


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies")


def second(judge: JudgeVersion, number: int = 2) -> JudgeVersion:
    return JudgeVersion.objects.create(
        judge=judge.judge, number=number, kind="model", model="openai/other", fingerprint=f"{number:064}"
    )


def again(run: Run, judge: JudgeVersion, outcomes: str, kind: str = "calibration") -> Run:
    """A finished run of another judge over the rows of `run`, with an outcome for each: p, f or s."""
    later = Run.objects.create(
        judge_version=judge,
        criteria_version=run.criteria_version,
        kind=kind,
        state="finished",
        finished_at=timezone.now(),
    )
    words = {"p": "pass", "f": "fail", "s": "skipped"}
    rows = [each.candidate for each in run.verdicts.filter(panel_verdict=None).order_by("pk")]
    for candidate, letter in zip(rows, outcomes, strict=False):
        make_verdict(later, candidate, words[letter])
    return later


def two_versions(criteria_set: CriteriaSet, outcomes: str = "pfpfs", **cells: int) -> tuple[Run, Run]:
    """Both calibrated: the first says pass, pass, fail, fail (right: all but the third), pass."""
    judge = make_judge("strict")
    first = make_run(judge, criteria_set, **(cells or {"a": 2, "b": 1, "d": 2}))  # type: ignore[arg-type]
    later = again(first, second(judge), outcomes)
    certified(first), certified(later)
    return first, later


def counts(run: Run) -> Any:
    return run.calibrations.get(judge_version=run.judge_version, is_current=True)


def moves(paired: Paired) -> list[tuple[str, int, int]]:
    return [
        (each.change.value, each.before, each.after)
        for each in moved_of(paired, read_moved(paired, moved_rows(paired)))
    ]


def test_each_row_is_fixed_regressed_stable_or_inconclusive(criteria_set: CriteriaSet) -> None:
    # People: pass, pass, pass, fail, fail. Before: p p f f f; after: p f p f and skipped.
    first, later = two_versions(criteria_set)

    found = compared(judges_on_certify_rows(counts(first), counts(later)))

    assert found.changes == Changes(fixed=1, regressed=1, stable=2, inconclusive=1)
    assert (found.only_before, found.only_after) == (0, 0)


def test_backwards_is_the_opposite(criteria_set: CriteriaSet) -> None:
    first, later = two_versions(criteria_set, "pffps")
    there = judges_on_certify_rows(counts(first), counts(later))
    back = judges_on_certify_rows(counts(later), counts(first))

    assert compared(there).changes == Changes(regressed=2, stable=2, inconclusive=1)
    assert compared(back).changes == Changes(fixed=2, stable=2, inconclusive=1)
    assert [(change, one, other) for change, one, other in moves(there)] == [
        ("regressed", other, one) for _, one, other in moves(back)
    ]
    assert {change for change, *_ in moves(back)} == {"fixed"}


def test_the_rows_that_moved_are_those_that_are_counted(criteria_set: CriteriaSet) -> None:
    judge = make_judge("strict")
    first = make_run(judge, criteria_set, a=4, b=4, c=4, d=4, skipped_pass=2)
    later = again(first, second(judge), "pfps" * 4 + "pf")
    certified(first), certified(later)
    paired = judges_on_certify_rows(counts(first), counts(later))

    for change in (Change.FIXED, Change.REGRESSED):
        rows = list(moved_of(paired, read_moved(paired, moved_rows(paired, change))))
        assert {each.change for each in rows} == {change}
        for each in rows:
            said = [Verdict.objects.get(pk=pk).outcome for pk in (each.before, each.after)]
            assert change_of(*(was_right(each.truth, outcome) for outcome in said)) == change
        assert len(rows) == getattr(compared(paired).changes, change.value)


def test_rows_of_one_run_only_are_counted_apart(criteria_set: CriteriaSet) -> None:
    first, later = two_versions(criteria_set, "pfp")
    third = make_run(second(first.judge_version, 3), criteria_set, a=1)
    certified(third)

    short = compared(judges_on_certify_rows(counts(first), counts(later)))
    apart = compared(judges_on_certify_rows(counts(first), counts(third)))

    assert (short.changes.n, short.only_before, short.only_after) == (3, 2, 0)
    assert (apart.changes.n, apart.only_before, apart.only_after) == (0, 5, 1)


def test_a_correction_of_labels_counts_for_a_replay_too(criteria_set: CriteriaSet) -> None:
    first = make_run(make_judge("strict"), criteria_set, a=1, d=1)
    certified(first)
    replay = again(first, first.judge_version, "ff", kind="replay")
    count_replay(run=replay, known={})
    row = first.verdicts.order_by("pk")[0].candidate
    correct(row, "fail")
    golden_set_changed(live(criteria_set), [row.pk])

    for sides in ((first, replay), (replay, first)):
        found = compared(judges_on_certify_rows(*(counts(each) for each in sides))).changes
        assert (found.fixed, found.regressed) == ((1, 0) if sides[0] == first else (0, 1))


def test_a_juror_is_compared_by_its_panels_run(criteria_set: CriteriaSet) -> None:
    juror = make_judge("one")
    panel = make_run(make_panel([juror, make_judge("two")], "panel"), criteria_set, a=3, d=2)
    certified(panel)

    found = counts_of(live(criteria_set), juror)

    assert (found.run, found.judge_version) == (panel, juror)
    assert compared(judges_on_certify_rows(found, counts(panel))).changes.stable == 5


def test_the_newest_count_is_taken_unless_a_run_is_named(criteria_set: CriteriaSet) -> None:
    first = make_run(make_judge("strict"), criteria_set, a=2)
    newer = again(first, first.judge_version, "pf")
    certified(first), certified(newer)

    assert counts_of(live(criteria_set), first.judge_version).run == newer
    assert counts_of(live(criteria_set), first.judge_version, first.pk).run == first


def test_a_judge_that_was_not_measured_cannot_be_compared(criteria_set: CriteriaSet) -> None:
    with pytest.raises(CannotCompare, match="strict@1 was not measured on replies@1 yet"):
        counts_of(live(criteria_set), make_judge("strict"))


def test_rows_for_tuning_are_compared_by_the_last_answers(criteria_set: CriteriaSet) -> None:
    judge = make_judge("strict")
    first = make_run(judge, criteria_set, a=2, d=2, split="tune")
    again(first, judge, "pf")  # asked once more about two of them
    again(first, second(judge), "ppff")

    found = compared(judges_on_tune_rows(live(criteria_set), judge, second_of(judge)))

    assert found.changes == Changes(fixed=1, stable=3)


def second_of(judge: JudgeVersion) -> JudgeVersion:
    return judge.judge.versions.get(number=2)


def written(run: Run, request: str, generator: str, outcome: str) -> Candidate:
    candidate = make_candidate(run.criteria_version.criteria_set, request=request)
    candidate.submissions.create(source="import", generator_model=generator)
    make_verdict(run, candidate, outcome)
    return candidate


def two_generators(criteria_set: CriteriaSet) -> Run:
    """The old one passes a and c, the new one a and b; each wrote one output that the other did not."""
    run = make_run(make_judge("strict"), criteria_set, kind="scoring")
    said = {
        "old": {"a": "pass", "b": "fail", "c": "pass", "d": "pass"},
        "new": {"a": "pass", "b": "pass", "c": "fail"},
    }
    for name, outcomes in said.items():
        for request, outcome in outcomes.items():
            written(run, request, name, outcome)
    written(run, "e", "new", "skipped")
    written(run, "e", "old", "pass")
    return run


def test_generators_are_compared_on_the_same_requests(criteria_set: CriteriaSet) -> None:
    run = two_generators(criteria_set)

    paired = generators(live(criteria_set), run.judge_version, "old", "new")

    found = compared(paired)
    assert found.changes == Changes(fixed=1, regressed=1, stable=1, inconclusive=1)
    assert (found.only_before, found.only_after) == (1, 0)
    assert sorted(change for change, *_ in moves(paired)) == ["fixed", "regressed"]
    assert set(generators_of(live(criteria_set), 9)) == {"old", "new"}


def test_each_request_counts_once_by_the_output_asked_about_last(criteria_set: CriteriaSet) -> None:
    run = two_generators(criteria_set)
    written(run, "a", "new", "fail")
    judge = run.judge_version

    found = compared(generators(live(criteria_set), judge, "old", "new"))

    assert found.changes == Changes(fixed=1, regressed=2, inconclusive=1)
    assert further_outputs(live(criteria_set), judge, ["old", "new"]) == 1


def test_one_text_of_both_is_stable(criteria_set: CriteriaSet) -> None:
    run = make_run(make_judge("strict"), criteria_set, kind="scoring")
    written(run, "a", "old", "fail").submissions.create(source="import", generator_model="new")

    assert compared(generators(live(criteria_set), run.judge_version, "old", "new")).changes.stable == 1


def shell(*arguments: str) -> tuple[int, str, str]:
    """Exit code, output and what is said beside it."""
    out, beside = StringIO(), StringIO()
    try:
        call_command("compare", *arguments, stdout=out, stderr=beside)
    except SystemExit as end:
        return int(end.code or 0), out.getvalue(), beside.getvalue()
    except CommandError as wrong:
        return wrong.returncode, str(wrong), ""
    return 0, out.getvalue(), beside.getvalue()


def test_the_shell_says_what_moved(criteria_set: CriteriaSet) -> None:
    first, _ = two_versions(criteria_set)
    rows = [each.candidate_id for each in first.verdicts.order_by("pk")]

    code, line, _ = shell("strict@1", "strict@2", "--criteria", "replies", "--rows")

    assert code == 0
    assert line.startswith("NOT SHOWN TO BE WORSE  strict@1 → strict@2  n=4  fixed=1  regressed=1  stable=2")
    assert f"  regressed: row {rows[1]}\n  fixed: row {rows[2]}\n" in line


def test_a_clear_loss_is_exit_1_and_the_way_back_is_not(criteria_set: CriteriaSet) -> None:
    two_versions(criteria_set, "f" * 6 + "p" * 14, a=20)

    worse, told, _ = shell("strict@1", "strict@2", "--criteria", "replies@1", "--json")
    better, *_ = shell("strict@2", "strict@1", "--criteria", "replies@1")

    found = json.loads(told)
    assert (worse, better) == (1, 0)
    assert (found["regressed"], found["net"], found["worse"]) == (6, -6, True)
    assert found["p"] == pytest.approx(mcnemar([[14, 6], [0, 0]], exact=True).pvalue)
    assert found["p_worse"] == pytest.approx(1 / 2**6)
    assert "moved" not in found


def test_the_shell_compares_generators_with_a_caution(criteria_set: CriteriaSet) -> None:
    two_generators(criteria_set)

    code, line, caution = shell("--criteria", "replies", "--generators", "old", "new", "--judge", "strict")

    assert code == 0
    assert "old → new  n=3  fixed=1  regressed=1" in line
    assert "opinions of outputs, not people's" in caution
    assert "strict@1 is not certified on replies@1" in caution


def test_the_shell_says_how_many_further_outputs_are_left_out(criteria_set: CriteriaSet) -> None:
    written(two_generators(criteria_set), "a", "new", "fail")
    asked = ["--criteria", "replies", "--generators", "old", "new", "--judge", "strict"]

    *_, caution = shell(*asked)
    _, told, _ = shell(*asked, "--json")

    assert "asked about last; left out: 1 further output to the same requests." in caution
    assert json.loads(told)["further_outputs"] == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["strict"], "Name two judges"),
        (["strict", "nobody"], "There is no judge “nobody”."),
        (["strict", "other"], "was not measured on replies@1"),
        (["strict", "other", "--judge", "strict"], "Name two judges"),
        (["--generators", "old", "new"], "name it with --judge"),
        (["--generators", "old", "new", "--judge", "strict"], "nothing to compare"),
    ],
)
def test_wrong_use_is_exit_2(criteria_set: CriteriaSet, arguments: list[str], words: str) -> None:
    make_judge("strict"), make_judge("other")

    code, said, _ = shell(*arguments, "--criteria", "replies")

    assert code == 2
    assert words in said
