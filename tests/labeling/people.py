"""Labels of several people, a candidate for each row."""

from django.contrib.auth.models import User
from django.utils import timezone

from labeling.models import CriteriaSet, Criterion, Label, Mark, Repeat
from tests.factories import live, make_candidate, make_label, make_user


def people(number: int) -> list[User]:
    return [make_user() for _ in range(number)]


def labelled(criteria_set: CriteriaSet, labelers: list[User], *rows: tuple[str, ...]) -> list[list[Label]]:
    """What each of the people says of each row; "" for nothing. The labels by row."""
    found = []
    for row in rows:
        candidate = make_candidate(criteria_set)
        said = zip(labelers, row, strict=True)
        found.append([make_label(candidate, person, verdict) for person, verdict in said if verdict])
    return found


def graded(criteria_set: CriteriaSet) -> Criterion:
    """A further criterion of the live version, scored 1 to 5."""
    return Criterion.objects.create(
        version=live(criteria_set),
        position=9,
        name="tone",
        description="How friendly it is.",
        required=False,
        scale_min=1,
        scale_max=5,
        minimum=None,
    )


def mark(label: Label, criterion: Criterion, score: int) -> Mark:
    return Mark.objects.create(label=label, criterion=criterion, score=score)


def repeated(label: Label, verdict: str, *, blind: bool = True) -> Repeat:
    """A second answer of the same person."""
    now = timezone.now()
    return Repeat.objects.create(label=label, due_at=now, answered_at=now, verdict=verdict, blind=blind)
