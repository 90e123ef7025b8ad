"""Putting the example into the database. Safe to do again: what is there already is left alone."""

import io
from collections import Counter
from dataclasses import dataclass
from functools import partial

from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import transaction
from django.utils import timezone

from demo.rows import FILES, FOLDER, Part, parts_of
from judging.models import ApiToken, Certificate, Judge, JudgeVersion, Run
from judging.services.standing import Standing, named_standing
from judging.services.starting import start_once
from judging.tasks import start_work
from labeling.models import Candidate, CriteriaSet, ImportBatch, Membership
from labeling.services.imports import import_golden


@dataclass(frozen=True, slots=True)
class Login:
    """One account of the demo. The passwords are no secret: the demo listens on loopback only."""

    name: str
    password: str
    role: str


LOGINS = [
    Login("lead", "vera-lead", "lead"),
    Login("labeler", "vera-labeler", "labeler"),
    Login("admin", "vera-admin", "administrator"),
]


@dataclass(frozen=True, slots=True)
class Step:
    """A calibration of the example by the names that commands take, once `parts` of its rows are there."""

    judge: str
    criteria: str
    parts: int


STORY, PANEL, LENIENT, DRAFT = "meeting-summaries", "review-panel@1", "agreeable@1", "review-panel@2"
# In the order in which they are made: the panel is first held against too few rows, then against all.
STEPS = [
    Step(PANEL, STORY, parts=1),
    Step(PANEL, STORY, parts=2),
    Step(LENIENT, STORY, parts=2),
    Step(DRAFT, STORY, parts=2),
    Step("easy-panel@1", "support-replies", parts=2),
]


class NotOurs(Exception):
    """An account of the demo's name belongs to somebody; the text says what to do."""


def load_example(*, parts: int = 2) -> None:
    """Load accounts, criteria, judges and the first `parts` of the rows.

    What was changed since they were first loaded stays.
    """
    accounts = [(login, _make_account(login)) for login in LOGINS]
    said = io.StringIO()  # what the commands report is for those who call them by hand
    if CriteriaSet.objects.filter(slug__in=FILES).count() < len(FILES):
        call_command("load_criteria", str(FOLDER / "criteria.toml"), stdout=said)
    for slug in FILES:
        for part in parts_of(slug)[:parts]:
            _import(part)
    if Judge.objects.filter(slug__in=_judges()).count() < len(_judges()):
        call_command("load_judges", str(FOLDER / "judges.toml"), stdout=said)
    if JudgeVersion.objects.filter(judge__slug="review-panel").count() < 2:
        call_command("load_judges", str(FOLDER / "judges_draft.toml"), stdout=said)
    for login, user in accounts:
        _make_member(login, user)


def _judges() -> set[str]:
    return {step.judge.partition("@")[0] for step in STEPS}


def _import(part: Part) -> None:
    known = ImportBatch.objects.filter(criteria_set__slug=part.slug, file_name=part.file_name)
    if not known.exists():
        stream = io.BytesIO(part.content)
        import_golden(stream=stream, file_name=part.file_name, slug=part.slug, format="jsonl")


def _make_account(login: Login) -> User:
    user = User.objects.filter(username=login.name).first()
    if user is None:
        make = User.objects.create_superuser if login.role == "administrator" else User.objects.create_user
        return make(login.name, password=login.password)
    if not user.check_password(login.password):
        raise NotOurs(
            f"The account {login.name} is there already, with a password that is not the demo's. "
            "Run the demo in a folder of its own: VERA_VAR=var-demo make demo"
        )
    return user


def _make_member(login: Login, user: User) -> None:
    if login.role == "administrator":
        return
    for criteria_set in CriteriaSet.objects.filter(slug__in=FILES):
        Membership.objects.update_or_create(
            user=user, criteria_set=criteria_set, defaults={"role": login.role}
        )


def forget_tokens() -> None:
    """Remove the tokens of earlier demos; each demo prints a fresh one, because only hashes are stored."""
    ApiToken.objects.filter(name="demo").delete()


def standing_of(step: Step) -> Standing:
    """How the judge version of a step stands on the live criteria at the moment."""
    return named_standing(step.judge, step.criteria, timezone.now())


def start_run_of(step: Step) -> Run:
    """The calibration of a step, tune rows included: those may be looked at."""
    standing = standing_of(step)
    with transaction.atomic():
        run, _ = start_once(
            judge_version=standing.judge_version, criteria_version=standing.criteria_version, scope="all"
        )
        transaction.on_commit(partial(start_work, run.pk))
    return run


def start_scoring() -> Run | None:
    """The panel's run over the rows of the story that nobody has labelled; None where it ran already."""
    standing = named_standing(PANEL, STORY, timezone.now())
    judge, version = standing.judge_version, standing.criteria_version
    if Run.objects.filter(judge_version=judge, criteria_version=version, kind=Run.Kind.SCORING).exists():
        return None
    if not Candidate.objects.filter(criteria_set=version.criteria_set).unlabelled(version).exists():
        return None
    with transaction.atomic():
        run, _ = start_once(judge_version=judge, criteria_version=version, scope="unlabelled")
        transaction.on_commit(partial(start_work, run.pk))
    return run


def is_certified(judge: str, criteria: str) -> bool:
    """Whether the gate is open to `judge` on `criteria` at the moment."""
    return named_standing(judge, criteria, timezone.now()).certified


def pending_steps() -> list[Step]:
    """The calibrations of the example that never came to a certificate or a refusal, in their order.

    Whatever criteria version they were made under: what was judged once is left to people.
    """
    left = Counter(
        f"{judge}@{number} {criteria}"
        for judge, number, criteria in Certificate.objects.filter(cause=Certificate.Cause.RUN).values_list(
            "judge_version__judge__slug", "judge_version__number", "criteria_version__criteria_set__slug"
        )
    )
    pending = []
    for step in STEPS:
        name = f"{step.judge} {step.criteria}"
        if left[name]:
            left[name] -= 1
        else:
            pending.append(step)
    return pending
