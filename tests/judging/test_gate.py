"""The gate for shells and CI."""

import json
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from judging.models import Certificate, JudgeVersion
from judging.services.drills import UNAVAILABLE
from labeling.models import CriteriaSet
from tests.factories import make_criteria_set, make_judge, make_version
from tests.judging.golden import certified, make_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies")


@pytest.fixture
def judge() -> JudgeVersion:
    return make_judge("strict")


def gate(*arguments: str) -> tuple[int, str]:
    """Exit code and output."""
    out = StringIO()
    try:
        call_command("gate", *arguments, stdout=out)
    except SystemExit as end:
        return int(end.code or 0), out.getvalue()
    except CommandError as wrong:
        return wrong.returncode, str(wrong)
    return 0, out.getvalue()


def certify(judge: JudgeVersion, criteria_set: CriteriaSet, **cells: int) -> Certificate:
    run = make_run(judge, criteria_set, **cells)  # type: ignore[arg-type]
    run.finished_at = timezone.now()
    run.save()
    return certified(run, run.finished_at)


def test_it_opens_for_the_certified(judge: JudgeVersion, criteria_set: CriteriaSet) -> None:
    certify(judge, criteria_set, a=28, b=2, c=2, d=28)

    code, line = gate("strict", "replies")

    assert code == 0
    assert line.startswith("CERTIFIED  n=60  kappa=0.867 (bar 0.65, 95% lower bound 0.")
    assert line.endswith("  agree=93%\n")


def test_it_stays_shut_and_says_why(judge: JudgeVersion, criteria_set: CriteriaSet) -> None:
    certify(judge, criteria_set, a=4, d=4)

    assert gate("strict", "replies") == (
        1,
        "UNCERTIFIED  n=8  kappa=1.000 (bar 0.65)  agree=100%  "
        "too_few_rows: 8 of 30; too_few_of_one_class: 4 of 5\n",
    )


def test_an_expired_certificate_opens_nothing(judge: JudgeVersion, criteria_set: CriteriaSet) -> None:
    certify(judge, criteria_set, a=30, d=30)
    past = timezone.now() - timedelta(days=1)
    Certificate.objects.update(calibrated_at=past - timedelta(days=30), expires_at=past)

    code, line = gate("strict", "replies")

    assert code == 1
    assert line.startswith("UNCERTIFIED  n=60")
    assert line.rstrip().endswith("expired")


def test_a_judge_never_calibrated_is_not_certified(judge: JudgeVersion, criteria_set: CriteriaSet) -> None:
    code, line = gate("strict", "replies")

    assert code == 1
    assert line.startswith("UNCERTIFIED  n=0")
    assert "never_calibrated" in line


def test_other_versions_are_named_with_an_at(judge: JudgeVersion, criteria_set: CriteriaSet) -> None:
    certify(judge, criteria_set, a=30, d=30)
    make_version(criteria_set, live=True)

    assert gate("strict", "replies")[0] == 1
    assert gate("strict", "replies@1")[0] == 0
    assert gate("strict@1", "replies@1")[0] == 0


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (["nobody", "replies"], "There is no judge “nobody”."),
        (["strict", "nothing"], "There is no criteria set “nothing” that you may read."),
        (["strict", "replies@9"], "Criteria set “replies” has no version 9."),
        (["strict", "replies@two"], "“replies@two” names no version. Write it like replies@2."),
        (["strict"], "Error: the following arguments are required: criteria"),
    ],
)
def test_wrong_use_exits_2(
    judge: JudgeVersion, criteria_set: CriteriaSet, names: list[str], sentence: str
) -> None:
    code, said = gate(*names)

    assert said == sentence
    assert code == (2 if len(names) == 2 else 1)  # argparse itself exits 2 when run from a shell


def test_json_is_the_resource_of_the_api(judge: JudgeVersion, criteria_set: CriteriaSet) -> None:
    certify(judge, criteria_set, a=4, d=4)

    code, out = gate("strict", "replies", "--json")

    body = json.loads(out)
    assert code == 1
    assert (body["judge"], body["n"], body["certified"]) == ("strict", 8, False)
    assert [reason["code"] for reason in body["reasons"]] == ["too_few_rows", "too_few_of_one_class"]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("uncertified", "REHEARSAL  UNCERTIFIED  never_calibrated\n"),
        ("expired", "REHEARSAL  UNCERTIFIED  expired\n"),
        ("suspended", "REHEARSAL  UNCERTIFIED  drift_alarm\n"),
        ("unavailable", UNAVAILABLE),
    ],
)
def test_a_refusal_is_rehearsed_on_a_certified_judge(
    judge: JudgeVersion, criteria_set: CriteriaSet, answer: str, said: str
) -> None:
    certify(judge, criteria_set, a=30, d=30)

    assert gate("strict", "replies", "--rehearse", answer) == (1, said)
    assert gate("strict", "replies")[0] == 0


def test_a_rehearsal_as_json_is_marked(judge: JudgeVersion, criteria_set: CriteriaSet) -> None:
    certify(judge, criteria_set, a=30, d=30)

    code, out = gate("strict", "replies", "--rehearse", "suspended", "--json")

    body = json.loads(out)
    assert (code, body["certified"], body["rehearsal"]) == (1, False, True)
    assert "rehearsal" not in json.loads(gate("strict", "replies", "--json")[1])
