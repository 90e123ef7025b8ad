"""Every reason code and every state is reached, and read where strangers read it: over HTTP."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from judging.domain.certificate_states import State
from judging.domain.reasons import CertificateReason as Code
from judging.models import AnsweredAs, Certificate, JudgeVersion
from judging.services.certification import golden_set_changed
from judging.services.judges import promote_judge
from judging.services.provider_models import check_names
from judging.services.runs import cancel_run, start_run
from judging.services.tokens import create_token
from labeling.models import CriteriaSet, Label
from tests.factories import (
    live,
    make_candidate,
    make_criteria_set,
    make_judge,
    make_label,
    make_user,
    make_version,
)
from tests.judging.dashboards import certify, text
from tests.judging.golden import correct, make_run
from tests.judging.living import replay, suspended

pytestmark = pytest.mark.django_db


class World:
    """The judge “strict” on the set “replies”, and what its policy demands."""

    def __init__(self) -> None:
        self.judge, self.criteria_set = make_judge("strict"), make_criteria_set("replies")

    def demand(self, **policy: Any) -> None:
        CriteriaSet.objects.filter(pk=self.criteria_set.pk).update(**policy)

    def certify(self, **cells: int) -> Certificate:
        return certify(self.judge, self.criteria_set, **cells)

    def good(self) -> Certificate:
        """A certificate that is well earned."""
        return self.certify(a=38, b=2, c=2, d=38)


def never_calibrated(world: World) -> None:
    """As it comes."""


def run_incomplete(world: World) -> None:
    make_run(world.judge, world.criteria_set, a=20, d=20, kind="scoring")  # rows that people settled
    cancel_run(run=start_run(judge_version=world.judge, criteria_version=live(world.criteria_set)))


def too_few_rows(world: World) -> None:
    world.certify(a=4, d=4)


def too_few_of_one_class(world: World) -> None:
    world.certify(a=38, d=4)


def undefined_kappa(world: World) -> None:
    world.certify(a=40)


def low_coverage(world: World) -> None:
    world.certify(a=30, d=30, skipped_fail=4)


def below_bar(world: World) -> None:
    world.certify(a=30, b=10, c=10, d=30)


def bound_below_bar(world: World) -> None:
    world.demand(rule="bound")
    world.certify(a=13, b=2, c=2, d=13)


def skips_worst_case(world: World) -> None:
    world.demand(rule="bound")
    world.certify(a=172, b=28, c=28, d=172, skipped_pass=10, skipped_fail=10)


def ordering_violated(world: World) -> None:
    world.demand(demand_ordering=True)
    world.good()


def human_ceiling_low(world: World) -> None:
    """Two people who label the same rows, each as it pleases them."""
    world.demand(demand_human_ceiling=True)
    run = make_run(world.judge, world.criteria_set, a=30, d=30)
    people = make_user(labels=world.criteria_set), make_user(labels=world.criteria_set)
    rows = [verdict.candidate for verdict in run.verdicts.select_related("candidate")]
    about: dict[str, Any] = {"version": live(world.criteria_set), "blind": True, "source": "browser"}
    Label.objects.bulk_create(
        Label(candidate=row, labeler=person, verdict="pass" if number % every else "fail", **about)
        for number, row in enumerate(rows)
        for every, person in enumerate(people, start=2)
    )
    world.good()


def unresolved_labels(world: World) -> None:
    contested = make_candidate(world.criteria_set)
    for verdict in ("pass", "fail"):
        make_label(contested, make_user(labels=world.criteria_set), verdict)
    world.good()


def judge_changed(world: World) -> None:
    world.good()
    newer = JudgeVersion.objects.create(
        judge=world.judge.judge, number=2, kind="model", model="openai/newer", fingerprint="2" * 64
    )
    promote_judge(judge=world.judge.judge, version=newer, actor=None)


def criteria_changed(world: World) -> None:
    world.good()
    make_version(world.criteria_set, live=True)


def provider_model_changed(world: World) -> None:
    certificate = world.good()
    certificate.calibration.run.verdicts.update(answered_model="strict-2026-08-06")
    AnsweredAs.objects.create(
        run=certificate.calibration.run,
        judge_version=world.judge,
        model="strict-2026-11-20",
        seen_at=timezone.now(),
    )
    check_names(now=timezone.now())


def golden_set_changed_since(world: World) -> None:
    certificate = world.certify(a=33, b=7, c=7, d=33)
    row = certificate.calibration.rows.filter(truth="pass", outcome="pass")[0].candidate
    correct(row, "fail")
    golden_set_changed(certificate.criteria_version, [row.pk])


def drift_alarm(world: World) -> None:
    replay(world.good(), wrong=20)


def expired(world: World) -> None:
    world.good()
    now = timezone.now()
    Certificate.objects.update(calibrated_at=now - timedelta(days=30), expires_at=now)


REACHED: dict[Code, Callable[[World], None]] = {
    Code.NEVER_CALIBRATED: never_calibrated,
    Code.RUN_INCOMPLETE: run_incomplete,
    Code.TOO_FEW_ROWS: too_few_rows,
    Code.TOO_FEW_OF_ONE_CLASS: too_few_of_one_class,
    Code.UNDEFINED_KAPPA: undefined_kappa,
    Code.LOW_COVERAGE: low_coverage,
    Code.BELOW_BAR: below_bar,
    Code.BOUND_BELOW_BAR: bound_below_bar,
    Code.SKIPS_WORST_CASE: skips_worst_case,
    Code.ORDERING_VIOLATED: ordering_violated,
    Code.HUMAN_CEILING_LOW: human_ceiling_low,
    Code.UNRESOLVED_LABELS: unresolved_labels,
    Code.JUDGE_CHANGED: judge_changed,
    Code.CRITERIA_CHANGED: criteria_changed,
    Code.PROVIDER_MODEL_CHANGED: provider_model_changed,
    Code.GOLDEN_SET_CHANGED: golden_set_changed_since,
    Code.DRIFT_ALARM: drift_alarm,
    Code.EXPIRED: expired,
}
WARNS = {Code.UNRESOLVED_LABELS}  # it blocks nothing


@pytest.fixture
def world() -> World:
    return World()


def answer_of(client: Client, path: str = "certifications") -> Any:
    _, secret = create_token(name="pipeline", scopes=["gate"])
    return client.get(f"/api/v1/{path}/strict/replies", headers={"authorization": f"Bearer {secret}"})


@pytest.mark.parametrize("code", Code)
def test_every_reason_is_reached_and_says_what_to_do(client: Client, world: World, code: Code) -> None:
    REACHED[code](world)

    answer = answer_of(client).json()

    told = {
        reason["code"]: reason["message"] for reason in answer["warnings" if code in WARNS else "reasons"]
    }
    assert told[code].endswith(".")
    assert answer["certified"] is (code in WARNS)
    assert answer_of(client, "gate").status_code == (200 if code in WARNS else 409)


STATES: dict[State, Callable[[World], Any]] = {
    State.NEVER_CALIBRATED: never_calibrated,
    State.UNCERTIFIED: below_bar,
    State.CERTIFIED: lambda world: world.good(),
    State.SUSPENDED: lambda world: suspended(world.good()),
    State.EXPIRED: expired,
}


@pytest.mark.parametrize("state", State)
def test_every_state_is_reached_and_told_on_the_history_page(
    client: Client, world: World, state: State
) -> None:
    STATES[state](world)
    lead = make_user(lead_of=world.criteria_set)
    client.force_login(lead, backend="django.contrib.auth.backends.ModelBackend")

    page = text(client.get("/dashboard/strict/replies/history/"))

    assert f"Now: {state.replace('_', ' ')}" in page
