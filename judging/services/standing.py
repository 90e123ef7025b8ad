"""How a judge version stands on a criteria version at one moment: the answer of API, pages and commands."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal

from django.db.models import Exists, F, OuterRef, QuerySet

from judging.domain.certificate_states import State, state_of
from judging.domain.certification import Status, effective_status, expired
from judging.domain.reasons import CertificateReason, Reason, certificate_reason
from judging.models import Certificate, JudgeVersion
from labeling.models import CriteriaSet, CriteriaVersion

# What a programme is answered. A query of all ninety columns takes longer to put together than to make.
ANSWERED = (
    *("status", "reasons", "warnings", "rule", "bar", "kappa", "interval_low", "interval_high"),
    *("lower_bound", "n", "n_pass", "n_fail", "agreement", "coverage", "kappa_worst_case", "attempt"),
    *(
        "opened_rows",
        "calibrated_at",
        "expires_at",
        "look",
        "z",
        "boundary",
        "next_look",
        "behind",
        "calibration",
    ),
    *("judge_version__number", "judge_version__fingerprint", "judge_version__judge__slug"),
    "judge_version__has_recorded",
    *("criteria_version__number", "criteria_version__criteria_set__slug"),
)


class UnknownName(LookupError):
    """No such judge, criteria set or version that the reader may see; the message names it."""


@dataclass(frozen=True)
class Standing:
    """A certificate as it stands at `now`; `certificate` is None for versions that were never calibrated.

    `changed`: in that case, what changed since earlier versions were; see `told_what_changed`.
    """

    judge_version: JudgeVersion
    criteria_version: CriteriaVersion
    certificate: Certificate | None
    now: datetime
    changed: tuple[CertificateReason, ...] = ()

    @property
    def key(self) -> tuple[int, int]:
        """Ids of the judge and of the criteria set, whichever their versions."""
        return self.judge_version.judge_id, self.criteria_version.criteria_set_id

    @property
    def certified(self) -> bool:
        return self.status == Status.CERTIFIED

    @property
    def status(self) -> Status:
        if self.certificate is None:
            return Status.UNCERTIFIED
        return effective_status(self.certificate.status, self.certificate.expires_at, self.now)

    @property
    def state(self) -> str:
        """The status as people are told it, such as "suspended" of one that lost its certificate to drift."""
        status = self.status if self.certificate else None
        state = state_of(status, [reason.code for reason in self.reasons])
        return "not measured" if state == State.NEVER_CALIBRATED else str(state)

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Why the judge is not certified now; empty when it is."""
        if self.certificate is None:
            return tuple(map(certificate_reason, (CertificateReason.NEVER_CALIBRATED, *self.changed)))
        stored = self.certificate.against
        over = self.now >= self.certificate.expires_at
        if not over or any(reason.code == CertificateReason.EXPIRED for reason in stored):
            return stored
        return (*stored, expired(self.certificate.expires_at))

    @property
    def warnings(self) -> tuple[Reason, ...]:
        """What blocks nothing and a reader should know."""
        return self.certificate.beside if self.certificate else ()

    @property
    def rule(self) -> str:
        return self.certificate.rule if self.certificate else self.criteria_version.criteria_set.rule

    @property
    def bar(self) -> Decimal:
        return self.certificate.bar if self.certificate else self.criteria_version.criteria_set.bar

    def seconds_left(self, most: int) -> int:
        """How long this answer holds, `most` at the longest: to the second in which it expires."""
        if self.certificate is None or self.now >= self.certificate.expires_at:
            return most
        return min(most, int((self.certificate.expires_at - self.now).total_seconds()))


def named_version(name: str) -> tuple[str, int | None]:
    """`slug` or `slug@N` of a command line. Raises `UnknownName` where N is no version number."""
    slug, at, number = name.partition("@")
    if not at:
        return slug, None
    if not (number.isascii() and number.isdigit() and len(number) < 10):
        raise UnknownName(f"“{name}” names no version. Write it like {slug or 'name'}@2.")
    return slug, int(number)


def named_standing(judge: str, criteria: str, now: datetime) -> Standing:
    """How a judge stands by the names of a command line, `slug` or `slug@N`. Raises `UnknownName`."""
    judge_slug, judge_version = named_version(judge)
    criteria_slug, version = named_version(criteria)
    return find_standing(
        judge=judge_slug,
        criteria=criteria_slug,
        sets=None,
        now=now,
        judge_version=judge_version,
        version=version,
    )


def find_standing(
    *,
    judge: str,
    criteria: str,
    sets: QuerySet[CriteriaSet] | None,
    now: datetime,
    judge_version: int | None = None,
    version: int | None = None,
    columns: Sequence[str] = (),
) -> Standing:
    """How the judge stands: its live version on the live criteria version unless others are named.

    `sets` are those that the reader may see, None for every one; any other is as unknown as a misspelt one.
    `columns`: all that the caller reads of the certificate and its versions, such as `ANSWERED`; else each
    has all of its own. One query where there is a certificate. Raises `UnknownName`.
    """
    named = Certificate.objects.current().filter(
        judge_version__judge__slug=judge, criteria_version__criteria_set__slug=criteria
    )
    of_versions = named.of_judge_version(judge_version).of_criteria_version(version)
    chosen = of_versions.with_versions().only(*columns) if columns else of_versions.with_names()
    if sets is not None:
        # Not as a filter: PostgreSQL would take ten times longer to plan these joins than to make them.
        chosen = chosen.annotate(visible=Exists(sets.filter(pk=OuterRef("criteria_version__criteria_set"))))
    found = next(iter(chosen.order_by()[:1]), None)  # there is one at the most, by a constraint
    if found and (sets is None or getattr(found, "visible", False)):
        return Standing(found.judge_version, found.criteria_version, found, now)
    of, by = criteria_version(criteria, version, sets), _judge_version(judge, judge_version)
    return told_what_changed([Standing(by, of, None, now)])[0]


def told_what_changed(standings: Sequence[Standing]) -> list[Standing]:
    """The same standings; those without a certificate with what changed since the newest earlier calibration.

    One query for any number of them, and none where each has a certificate.
    """
    without = [each for each in standings if each.certificate is None]
    if not without:
        return list(standings)
    earlier = Certificate.objects.current().filter(
        judge_version__judge__in={each.judge_version.judge_id for each in without},
        criteria_version__criteria_set__in={each.criteria_version.criteria_set_id for each in without},
    )
    names = ("judge_version__judge", "criteria_version__criteria_set")
    numbers = ("judge_version__number", "criteria_version__number")
    calibrated = list(earlier.order_by("-calibrated_at", "-pk").values_list(*names, *numbers))
    return [_told(each, calibrated) for each in standings]


def _told(standing: Standing, calibrated: Collection[tuple[int, int, int, int]]) -> Standing:
    if standing.certificate is not None:
        return standing
    by, of = standing.judge_version, standing.criteria_version
    for judge, criteria_set, judge_number, number in calibrated:
        same = (judge, criteria_set) == (by.judge_id, of.criteria_set_id)
        if same and judge_number <= by.number and number <= of.number:
            changes = {
                CertificateReason.JUDGE_CHANGED: judge_number < by.number,
                CertificateReason.CRITERIA_CHANGED: number < of.number,
            }
            return replace(standing, changed=tuple(code for code, is_so in changes.items() if is_so))
    return standing


def _judge_version(slug: str, number: int | None) -> JudgeVersion:
    versions = JudgeVersion.objects.select_related("judge").filter(judge__slug=slug)
    if not versions.exists():
        raise UnknownName(f"There is no judge “{slug}”.")
    live = {"pk": F("judge__live_version")}
    found = versions.filter(**live if number is None else {"number": number}).first()
    if found is None:
        raise UnknownName(_no_version(f"Judge “{slug}”", number))
    return found


def criteria_version(slug: str, number: int | None, sets: QuerySet[CriteriaSet] | None) -> CriteriaVersion:
    """The version by that number, else the live one, among `sets`. Raises `UnknownName`."""
    versions = CriteriaVersion.objects.select_related("criteria_set").filter(criteria_set__slug=slug)
    if sets is not None:
        versions = versions.filter(criteria_set__in=sets)
    if not versions.exists():
        raise UnknownName(f"There is no criteria set “{slug}” that you may read.")
    live = {"pk": F("criteria_set__live_version")}
    found = versions.filter(**live if number is None else {"number": number}).first()
    if found is None:
        raise UnknownName(_no_version(f"Criteria set “{slug}”", number))
    return found


def _no_version(name: str, number: int | None) -> str:
    if number is None:
        return f"{name} has no live version. Name a version, or have a lead promote one."
    return f"{name} has no version {number}."
