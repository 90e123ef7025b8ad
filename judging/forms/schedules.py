"""What a schedule does, and when."""

from datetime import time
from typing import Any

from django import forms
from django.db.models import Q, QuerySet

from judging.domain.schedules import WEEKDAYS, UnknownZone, in_words, zone_of
from judging.forms.runs import BudgetForm
from judging.models import Judge, Schedule
from judging.services.schedules import SchedulePlan
from labeling.access import AnyUser, led_sets
from labeling.models import CriteriaSet

_KINDS = [
    ("replay", "Replay the golden set: ask about all golden rows that certify, afresh"),
    ("sample", "Judge a sample of new rows, which nobody has labelled"),
]


class SetField(forms.ModelChoiceField[CriteriaSet]):
    """A criteria set to choose."""

    def label_from_instance(self, obj: CriteriaSet) -> str:
        return f"{obj.name} ({obj.slug})"


class ScheduleForm(BudgetForm):
    """Which judge does what on which criteria set, when, and how far each run may go."""

    field_order = ("kind", "criteria_set", "judge", "every", "weekday", "at", "zone", "sample_rows")

    kind = forms.ChoiceField(
        label="What to do",
        choices=_KINDS,
        help_text="A replay shows whether the judge still judges as it did when it was certified; it neither "
        "renews nor raises a certificate. A sample shows how live traffic is judged.",
    )
    criteria_set = SetField(
        label="Criteria set",
        queryset=CriteriaSet.objects.none(),
        help_text="At the version that is live when the schedule fires.",
    )
    judge = forms.ModelChoiceField(
        label="Judge",
        queryset=Judge.objects.none(),
        help_text="Likewise at its live version. One whose verdicts came from a file cannot be asked again.",
    )
    every = forms.ChoiceField(label="How often", choices=Schedule.Every.choices, initial=Schedule.Every.DAY)
    weekday = forms.TypedChoiceField(
        label="On",
        choices=list(enumerate(WEEKDAYS)),
        coerce=int,
        initial=0,
        help_text="Counts for a weekly one only.",
    )
    at = forms.TimeField(
        label="At",
        initial=time(3),
        widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M"),
        help_text="Hour and minute, such as 03:00. Of an hourly one only the minute counts.",
        error_messages={"invalid": "A time is written as hour and minute, such as 03:00."},
    )
    zone = forms.CharField(
        label="Time zone",
        max_length=60,
        widget=forms.TextInput(attrs={"list": "zones", "autocomplete": "off", "autocapitalize": "none"}),
        help_text="Whose clock counts, summer time included. Begin to type a city.",
    )
    sample_rows = forms.IntegerField(
        label="At most this many rows",
        min_value=1,
        max_value=10_000,
        initial=200,
        help_text="Of a sample, drawn at random from the rows that came in since the last one. "
        "A replay takes all golden rows.",
    )

    def __init__(self, *args: Any, user: AnyUser, held: int | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("max_calls", "max_cost"):
            self.fields[name].help_text = f"For each run. {self.fields[name].help_text}"
        # An archived set is left out, but for the one that the schedule is about.
        offered = led_sets(user).filter(Q(archived_at=None) | Q(pk=held)).exclude(live_version=None)
        self._offer("criteria_set", offered.order_by("slug"))
        asked = Judge.objects.filter(live_version__has_recorded=False)  # a recording cannot be asked again
        self._offer("judge", asked.order_by("slug"))

    def _offer(self, name: str, rows: QuerySet[Any]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = rows
        only = list(rows.values_list("pk", flat=True)[:2])
        field.initial = only[0] if len(only) == 1 else None

    def clean_zone(self) -> str:
        name: str = self.cleaned_data["zone"].strip()
        try:
            zone_of(name)
        except UnknownZone as unknown:
            raise forms.ValidationError(str(unknown)) from None
        return name

    @property
    def plan(self) -> SchedulePlan:
        """What a valid form asks for."""
        return SchedulePlan(**self.cleaned_data)

    @property
    def words(self) -> str:
        """When a valid form fires."""
        asked = self.cleaned_data
        return in_words(asked["every"], asked["weekday"], asked["at"], asked["zone"])

    @staticmethod
    def initial_of(schedule: Schedule) -> dict[str, Any]:
        """A schedule as the form shows it."""
        shown = {name: getattr(schedule, name) for name in ScheduleForm.base_fields}
        return shown | {"criteria_set": schedule.criteria_set_id, "judge": schedule.judge_id}
