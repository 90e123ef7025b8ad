"""The rows of the rulings page, each with what people said of it. No judge's verdict is among it."""

from itertools import zip_longest
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Case, Exists, OuterRef, Prefetch, Q, QuerySet, When

from labeling.forms.rulings import FILES, PutBackForm, RulingForm, RulingsFilter
from labeling.models import AuditEvent, Candidate, CriteriaVersion, Exposure, Label, Ruling, Skip
from labeling.services.contested import contested
from labeling.services.passed_on import passed_on


def rulers_of(version: CriteriaVersion) -> "QuerySet[User]":
    """Who made a ruling that stands under `version`."""
    made = Ruling.objects.current().filter(version=version, ruled_by__isnull=False)
    return User.objects.filter(pk__in=made.values("ruled_by")).order_by("username")


def ruling_counts(version: CriteriaVersion) -> dict[str, int]:
    """How many rows each list of the page has, by the name of the list."""
    in_conflict, passed = contested(version), passed_on(version)
    return {
        "waiting": waiting(version).count(),
        "conflicts": in_conflict.count(),
        "passed": passed.count(),
        "ruled": Ruling.objects.current().filter(version=version).count(),
    }


def waiting(version: CriteriaVersion) -> QuerySet[Candidate]:
    """The rows that wait for a lead: people disagree on them, or nobody wanted to decide."""
    rows = Q(pk__in=contested(version).values("pk")) | Q(pk__in=passed_on(version).values("pk"))
    return Candidate.objects.filter(rows, criteria_set=version.criteria_set_id)


def listed(form: RulingsFilter, version: CriteriaVersion, user: User) -> "QuerySet[Any]":
    """The rows that `form` asks for, with everything that a card shows; conflicts before rows passed on.

    Adds `is_passed`, `is_contested`, `exposed` (the reader saw a judge's verdict on it) and the lists `said`,
    `earlier` (labels that were corrected), `standing` and `overruled` (rulings), and `passed_by` (skips).
    """
    said = Label.objects.filter(version=version, withdrawn_at=None).select_related("labeler")
    said = said.prefetch_related("marks__criterion")
    rulings = Ruling.objects.filter(version=version).select_related("ruled_by")
    skips = Skip.objects.current().filter(version=version).select_related("labeler")
    verdicts = Exposure.objects.filter(candidate=OuterRef("pk"), user=user, what=Exposure.What.VERDICTS)
    found: QuerySet[Any] = _asked_for(form, version).prefetch_related(
        Prefetch("labels", said.filter(superseded_at=None), to_attr="said"),
        Prefetch("labels", said.exclude(superseded_at=None).order_by("pk"), to_attr="earlier"),
        Prefetch("rulings", rulings.filter(superseded_at=None), to_attr="standing"),
        Prefetch("rulings", rulings.exclude(superseded_at=None).order_by("pk"), to_attr="overruled"),
        Prefetch("skips", skips.order_by("created_at"), to_attr="passed_by"),
    )
    exposed: QuerySet[Any] = found.annotate(exposed=Exists(verdicts))
    return exposed


def _asked_for(form: RulingsFilter, version: CriteriaVersion) -> "QuerySet[Any]":
    if form.shown == RulingsFilter.RULED:
        return _ruled(form.ruled_by, version)
    rows = {RulingsFilter.CONFLICTS: contested, RulingsFilter.PASSED: passed_on}.get(form.shown, waiting)
    found: QuerySet[Any] = rows(version).annotate(
        is_contested=Exists(contested(version).filter(pk=OuterRef("pk"))),
        is_passed=Exists(passed_on(version).filter(pk=OuterRef("pk"))),
    )
    return found.order_by(Case(When(is_contested=True, then=0), default=1), "pk")


def _ruled(by: str, version: CriteriaVersion) -> "QuerySet[Any]":
    """The newest ruling first."""
    chosen = {"rulings__ruled_by": None} if by == FILES else {"rulings__ruled_by": by} if by else {}
    rows: QuerySet[Any] = Candidate.objects.filter(
        rulings__version=version, rulings__superseded_at=None, **chosen
    )
    return rows.order_by("-rulings__pk")


def tells_of_others(row: Any, user: User) -> bool:
    """Whether the card of a listed row tells what somebody other than `user` decided."""
    labels, rulings = [*row.said, *row.earlier], [*row.standing, *row.overruled]
    return any(label.labeler_id != user.pk for label in labels) or any(
        ruling.ruled_by_id != user.pk for ruling in rulings
    )


def dress(rows: list[Any], version: CriteriaVersion) -> None:
    """Give each row its forms, when it was put back before (`returns`), and the row after (`following`)."""
    returns = AuditEvent.objects.filter(
        action="row_put_back",
        criteria_set=version.criteria_set_id,
        details__candidate__in=[row.pk for row in rows],
        details__version=version.number,
    ).select_related("actor")
    back: dict[int, list[AuditEvent]] = {row.pk: [] for row in rows}
    for event in returns.order_by("pk"):
        back[event.details["candidate"]].append(event)
    for row, following in zip_longest(rows, rows[1:]):
        seen = row.standing[0].pk if row.standing else None
        row.form = RulingForm(initial={"seen": seen}, auto_id=f"id_{row.pk}_%s")
        row.back_form = PutBackForm(auto_id=f"id_{row.pk}_%s")
        row.returns = back[row.pk]
        row.following = following.pk if following else None
