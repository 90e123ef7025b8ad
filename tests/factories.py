"""Plain typed factories: each makes one valid row and takes what the test is about."""

from datetime import datetime
from itertools import count

from django.contrib.auth.models import User

from judging.domain.prompt import NEWEST
from judging.models import Judge, JudgeVersion, PanelMember
from labeling.domain.content import content_hash, request_hash
from labeling.models import (
    Candidate,
    CriteriaSet,
    CriteriaVersion,
    Criterion,
    Label,
    Membership,
    Ruling,
    Slot,
)
from labeling.services.queue import next_row

_numbers = count(1)


def make_user(
    name: str = "", *, lead_of: CriteriaSet | None = None, labels: CriteriaSet | None = None
) -> User:
    """A user with password `secret`, lead or labeler of one criteria set."""
    user = User.objects.create_user(name or f"user{next(_numbers)}", password="secret")
    for criteria_set, role in ((lead_of, "lead"), (labels, "labeler")):
        if criteria_set:
            Membership.objects.create(user=user, criteria_set=criteria_set, role=role)
    return user


def make_criteria_set(slug: str = "", *, labels_per_row: int = 1) -> CriteriaSet:
    """A criteria set whose live version 1 has the single required criterion `meets_criteria`; no audit."""
    slug = slug or f"set-{next(_numbers)}"
    criteria_set = CriteriaSet.objects.create(
        slug=slug,
        name=slug.title(),
        labels_per_row=labels_per_row,
        audit_share=0,
        double_share=0,
        repeat_share=0,
    )
    make_version(criteria_set, live=True)
    return criteria_set


def make_version(criteria_set: CriteriaSet, *, live: bool = False) -> CriteriaVersion:
    """The next version with the single required binary criterion `meets_criteria`."""
    number = criteria_set.versions.count() + 1
    version = CriteriaVersion.objects.create(
        criteria_set=criteria_set, number=number, content_hash=f"{number:064}"
    )
    Criterion.objects.create(
        version=version, position=1, name="meets_criteria", description="The output meets the criteria."
    )
    if live:
        criteria_set.live_version = version
        criteria_set.save()
    return version


def live(criteria_set: CriteriaSet) -> CriteriaVersion:
    """The live version, which factories always set."""
    assert criteria_set.live_version is not None
    return criteria_set.live_version


def make_candidate(
    criteria_set: CriteriaSet,
    output: str = "",
    *,
    request: str = "Say hello.",
    split: str = "certify",
    slots: int = 0,
) -> Candidate:
    """A candidate with a text of its own, with `slots` open places in the labeling queue."""
    output = output or f"Hello, number {next(_numbers)}."
    candidate = Candidate.objects.create(
        criteria_set=criteria_set,
        request=request,
        output=output,
        content_hash=content_hash(request, output, "", ""),
        request_hash=request_hash(request),
        split=split,
    )
    for number in range(1, slots + 1):
        Slot.objects.create(candidate=candidate, version=live(criteria_set), number=number)
    return candidate


def next_slot(*, version: CriteriaVersion, labeler: User, now: datetime) -> Slot | None:
    """The place in the queue that `labeler` holds after asking for a row; None where nothing is left."""
    candidate = next_row(version=version, labeler=labeler, now=now)
    if candidate is None:
        return None
    return Slot.objects.get(candidate=candidate, version=version, labeler=labeler)


def make_label(candidate: Candidate, labeler: User, verdict: str = "pass", *, blind: bool = True) -> Label:
    """A current label under the live version."""
    return Label.objects.create(
        candidate=candidate,
        version=live(candidate.criteria_set),
        labeler=labeler,
        verdict=verdict,
        blind=blind,
        source="browser",
    )


def make_ruling(candidate: Candidate, verdict: str = "pass", *, blind: bool = True) -> Ruling:
    """A current ruling under the live version."""
    return Ruling.objects.create(
        candidate=candidate,
        version=live(candidate.criteria_set),
        verdict=verdict,
        blind=blind,
        source="import",
    )


def make_judge(slug: str = "", *, model: str = "openai/scripted", family: str = "scripted") -> JudgeVersion:
    """Version 1, live, of a judge that is one model."""
    judge = Judge.objects.create(slug=slug or f"judge-{next(_numbers)}")
    version = JudgeVersion.objects.create(
        judge=judge,
        number=1,
        kind="model",
        model=model,
        family=family,
        template=NEWEST,
        fingerprint=f"{next(_numbers):064}",
    )
    judge.live_version = version
    judge.save()
    return version


def make_panel(jurors: list[JudgeVersion], slug: str = "", *, on_split: str = "majority") -> JudgeVersion:
    """Version 1, live, of a panel of `jurors`."""
    judge = Judge.objects.create(slug=slug or f"panel-{next(_numbers)}")
    version = JudgeVersion.objects.create(
        judge=judge, number=1, kind="panel", on_split=on_split, fingerprint=f"{next(_numbers):064}"
    )
    for position, juror in enumerate(jurors, start=1):
        PanelMember.objects.create(panel=version, juror=juror, position=position)
    judge.live_version = version
    judge.save()
    return version
