"""Putting the example into the database. Safe to do again: what is there already is left alone."""

import io
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.core.management import call_command
from django.utils import timezone

from demo.rows import FILES, FOLDER
from judging.models import ApiToken, Certificate, Judge
from judging.services.standing import find_standing
from labeling.models import Candidate, CriteriaSet, Membership


@dataclass(frozen=True, slots=True)
class Login:
    """One account of the demo. The passwords are no secret: the demo listens on loopback only."""

    name: str
    password: str
    role: str


LOGINS = [
    Login("labeler", "vera-labeler", "labeler"),
    Login("lead", "vera-lead", "lead"),
    Login("admin", "vera-admin", "administrator"),
]
# What is calibrated, in the order in which it is shown: judge, criteria set.
CALIBRATIONS = [
    ("review-panel", "meeting-summaries"),
    ("agreeable", "meeting-summaries"),
    ("easy-panel", "support-replies"),
]


class NotOurs(Exception):
    """An account of the demo's name belongs to somebody; the text says what to do."""


def load_example() -> None:
    """Load accounts, criteria, rows and judges. What was changed since they were first loaded stays."""
    accounts = [(login, _make_account(login)) for login in LOGINS]
    said = io.StringIO()  # what the commands report is for those who call them by hand
    if CriteriaSet.objects.filter(slug__in=FILES).count() < len(FILES):
        call_command("load_criteria", str(FOLDER / "criteria.toml"), stdout=said)
    for slug, name in FILES.items():
        if not Candidate.objects.filter(criteria_set__slug=slug).exists():
            call_command("import_golden", str(FOLDER / name), criteria_set=slug, format="jsonl", stdout=said)
    if Judge.objects.filter(slug__in=[judge for judge, _ in CALIBRATIONS]).count() < len(CALIBRATIONS):
        call_command("load_judges", str(FOLDER / "judges.toml"), stdout=said)
    for login, user in accounts:
        _make_member(login, user)


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


def is_certified(judge: str, criteria: str) -> bool:
    """Whether the gate is open to `judge` on `criteria` at the moment."""
    now = timezone.now()
    return find_standing(judge=judge, criteria=criteria, sets=CriteriaSet.objects.all(), now=now).certified


def pending_calibrations() -> list[tuple[str, str]]:
    """The calibrations of the example that never came to a certificate or a refusal."""
    done = set(
        Certificate.objects.values_list("judge_version__judge__slug", "criteria_version__criteria_set__slug")
    )
    return [pair for pair in CALIBRATIONS if pair not in done]
