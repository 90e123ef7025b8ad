"""The labeling queue: a slot is one wanted label of one candidate."""

from datetime import datetime
from typing import ClassVar, Self

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models
from django.db.models import Exists, OuterRef, Q

from labeling.models.candidates import Candidate
from labeling.models.criteria import CriteriaVersion, Membership
from labeling.models.labels import Label
from labeling.models.records import Exposure


class SlotQuerySet(models.QuerySet["Slot"]):
    """Questions about the queue; none of them writes."""

    # In which slots are handed out; the index `slot_open` has it.
    ORDER = ("-priority", "number", "place", "candidate_id")

    def queued(self, version: CriteriaVersion) -> Self:
        """Open slots in the order in which they are handed out."""
        return self.filter(version=version, state="open").order_by(*self.ORDER)

    def free(self, now: datetime) -> Self:
        """Those that nobody holds at `now`; a lease that ended holds nothing."""
        return self.filter(Q(lease_until=None) | Q(lease_until__lte=now))

    def new_to(self, labeler: User) -> Self:
        """Those of rows that `labeler` has neither labelled nor skipped."""
        row = {"candidate": OuterRef("candidate"), "version": OuterRef("version"), "labeler": labeler}
        return self.filter(
            ~Exists(Label.objects.current().filter(**row)),
            ~Exists(Skip.objects.current().filter(**row)),
        )

    def blind_to(self, labeler: User) -> Self:
        """Those of rows of which `labeler` was never shown what others or a judge said."""
        return self.filter(~Exists(Exposure.objects.filter(candidate=OuterRef("candidate"), user=labeler)))

    def wanted(self, version: CriteriaVersion) -> Self:
        """Those not filled that the set's present members can fill.

        A second label waits for a second person: while there is none, it is not waited for.
        """
        members = Membership.objects.filter(criteria_set=version.criteria_set_id, user__is_active=True)
        waiting = self.filter(version=version).exclude(state="done")
        return waiting.filter(Q(state="lead") | Q(number__lte=max(members.count(), 1)))


class Slot(models.Model):
    """One wanted label. Open until a label fills it; while open it may be leased to one labeler.

    The partial index holds open slots only, so finding the next row does not slow down as the queue empties.
    """

    class State(models.TextChoices):
        OPEN = "open", "open"
        DONE = "done", "done"
        LEAD = "lead", "passed on to the leads"

    candidate = models.ForeignKey(Candidate, on_delete=models.PROTECT, related_name="slots")
    version = models.ForeignKey(CriteriaVersion, on_delete=models.PROTECT, related_name="slots")
    number = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    priority = models.IntegerField(default=0)  # higher comes first
    place = models.PositiveIntegerField(default=0)  # among equals: the order in which a draw took them
    labeler = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="slots"
    )
    lease_until = models.DateTimeField(null=True, blank=True)

    objects = SlotQuerySet.as_manager()

    class Meta:
        indexes: ClassVar = [
            models.Index(
                name="slot_open",
                fields=["version", "-priority", "number", "place", "candidate"],
                condition=Q(state="open"),
            ),
            models.Index(
                name="slot_held", fields=["labeler", "version", "-lease_until"], condition=Q(state="open")
            ),
        ]
        constraints: ClassVar = [
            models.UniqueConstraint(name="slot_number_once", fields=["candidate", "version", "number"]),
            models.UniqueConstraint(
                name="slot_one_per_labeler",
                fields=["candidate", "version", "labeler"],
                condition=Q(labeler__isnull=False),
            ),
            models.CheckConstraint(name="slot_state_known", condition=Q(state__in=["open", "done", "lead"])),
            models.CheckConstraint(
                name="slot_lease_has_a_labeler",
                condition=Q(lease_until__isnull=True) | Q(labeler__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"slot {self.number} of candidate {self.candidate_id}: {self.state}"


class SkipQuerySet(models.QuerySet["Skip"]):
    def current(self) -> Self:
        """Skips that no undo withdrew and no later label replaced."""
        return self.filter(withdrawn_at=None)


class Skip(models.Model):
    """A labeler passed a row on, with a reason; it goes to somebody else."""

    class Reason(models.TextChoices):
        UNCLEAR_CRITERIA = "unclear_criteria", "The criteria do not say what to do here"
        NEEDS_EXPERT = "needs_expert", "Somebody who knows the subject should decide"
        BROKEN_ROW = "broken_row", "The row is broken or incomplete"
        CONFLICT = "conflict", "I wrote or saw this output elsewhere"
        OTHER = "other", "Another reason (see comment)"

    candidate = models.ForeignKey(Candidate, on_delete=models.PROTECT, related_name="skips")
    version = models.ForeignKey(CriteriaVersion, on_delete=models.PROTECT, related_name="+")
    labeler = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="skips")
    reason = models.CharField(max_length=20, choices=Reason)
    comment = models.TextField(blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    answered_at = models.DateTimeField(null=True, blank=True)  # a lead put the row back into the queue
    created_at = models.DateTimeField(auto_now_add=True)

    objects = SkipQuerySet.as_manager()

    class Meta:
        indexes: ClassVar = [
            models.Index(name="skip_by_labeler", fields=["labeler", "version", "created_at"])
        ]
        constraints: ClassVar = [
            models.UniqueConstraint(
                name="skip_once", fields=["candidate", "version", "labeler"], condition=Q(withdrawn_at=None)
            )
        ]

    def __str__(self) -> str:
        return f"skipped: {self.reason}"


class Draft(models.Model):
    """What a labeler has typed but not yet decided: verdict, marks and comment as the form sent them."""

    candidate = models.ForeignKey(Candidate, on_delete=models.CASCADE, related_name="+")
    version = models.ForeignKey(CriteriaVersion, on_delete=models.CASCADE, related_name="+")
    labeler = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="drafts")
    content = models.JSONField(default=dict)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(name="draft_once", fields=["candidate", "version", "labeler"])
        ]

    def __str__(self) -> str:
        return f"draft of {self.labeler}"
