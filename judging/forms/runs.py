"""What to run, how far, and which verdicts of a run to look at."""

from decimal import Decimal
from typing import Any

from django import forms
from django.db.models import F, QuerySet, prefetch_related_objects

from judging.domain.figures import many
from judging.models import JudgeVersion, Run
from judging.services.estimates import Estimate, estimate
from judging.services.examples import example_notes
from judging.services.families import own_family_warnings, panel_warnings, written
from judging.services.ordering import candidates_to_order
from judging.services.runs import MOST_REPEATS, REPEATED_ROWS, CannotRun, candidates_of, resume_run
from judging.services.starting import kind_of, start_once
from labeling.access import AnyUser, led_sets
from labeling.models import CriteriaVersion


class BudgetForm(forms.Form):
    """Where a run stops."""

    max_calls = forms.IntegerField(
        label="At most this many calls",
        required=False,
        min_value=1,
        max_value=2_000_000_000,
        help_text="The run pauses there and can be resumed. Empty: no limit.",
    )
    max_cost = forms.DecimalField(
        label="At most this many US dollars",
        required=False,
        min_value=Decimal("0.000001"),
        max_digits=12,
        decimal_places=6,
        help_text="Needs jurors whose price is known. Empty: no limit.",
    )


class ResumeForm(BudgetForm):
    """New budgets for a paused run; an empty one stays as it is."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["max_calls"].help_text = "All calls of this run together, past ones included."
        self.fields["max_cost"].help_text = "Likewise. It needs jurors whose price is known."

    def save(self, run: Run, actor: AnyUser) -> Run:
        """Resume the run. Raises `CannotRun`."""
        return resume_run(run=run, actor=actor, **self.cleaned_data)


class JudgeField(forms.ModelChoiceField[JudgeVersion]):
    """A judge version to choose."""

    def label_from_instance(self, obj: JudgeVersion) -> str:
        return f"{obj} ({'live' if obj.pk == obj.judge.live_version_id else 'draft'})"


class CriteriaField(forms.ModelChoiceField[CriteriaVersion]):
    """A criteria version to choose."""

    def label_from_instance(self, obj: CriteriaVersion) -> str:
        return f"{obj} ({'live' if obj.pk == obj.criteria_set.live_version_id else 'draft'})"


class RunForm(BudgetForm):
    """Which judge, on which criteria, over which rows."""

    judge_version = JudgeField(
        label="Judge", queryset=JudgeVersion.objects.none(), help_text="The live version, or a newer draft."
    )
    criteria_version = CriteriaField(
        label="Criteria",
        queryset=CriteriaVersion.objects.none(),
        error_messages={"invalid_choice": "Choose one of these; what is archived is not run on anew."},
    )
    rows = forms.ChoiceField(
        choices=[
            ("certify", "golden rows that certify"),
            ("tune", "golden rows for tuning"),
            ("all", "all golden rows"),
            ("unlabelled", "only rows that nobody has labelled"),
        ],
        help_text=(
            "Only rows that certify count for the certificate. A run without any sends no model what Layer 1 "
            "kills."
        ),
    )
    unlabelled = forms.BooleanField(
        label="With golden rows, also rows that nobody has labelled",
        required=False,
        help_text="They count for no certificate.",
    )
    asks_all = forms.BooleanField(
        label="Ask every juror about every row",
        required=False,
        help_text=(
            "Needed to compare the jurors, and always done where a judge is measured. Else a panel's juror "
            "is not asked where the others have decided, and answers of the last day to the same questions "
            "are taken over: the verdicts are the same for fewer calls."
        ),
    )
    repeats = forms.IntegerField(
        label="Ask each question so many times",
        required=False,
        min_value=1,
        max_value=MOST_REPEATS,
        help_text=(
            "Empty: once. 2 or more measures how often the judge contradicts itself, and certifies nobody."
        ),
    )
    most_rows = forms.IntegerField(
        label="At most so many rows",
        required=False,
        min_value=1,
        max_value=2_000_000_000,
        help_text=f"Empty: all of them; {REPEATED_ROWS} where questions are asked repeatedly.",
    )
    expected = forms.IntegerField(required=False, widget=forms.HiddenInput)
    field_order = [
        "judge_version",
        "criteria_version",
        "rows",
        "unlabelled",
        "asks_all",
        "repeats",
        "most_rows",
        "max_calls",
        "max_cost",
    ]

    def __init__(self, *args: Any, user: AnyUser, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        judges = JudgeVersion.objects.filter(number__gte=F("judge__live_version__number"))
        criteria = CriteriaVersion.objects.filter(
            archived_at=None,
            criteria_set__archived_at=None,
            number__gte=F("criteria_set__live_version__number"),
            criteria_set__in=led_sets(user),
        )
        self._offer("judge_version", judges.select_related("judge").order_by("judge__slug", "number"))
        self._offer(
            "criteria_version",
            criteria.select_related("criteria_set").order_by("criteria_set__slug", "number"),
        )

    def _offer(self, name: str, versions: QuerySet[Any]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = versions
        if len(found := versions[:2]) == 1:
            field.initial = found[0].pk  # nothing to choose between

    @property
    def asked(self) -> dict[str, Any]:
        """What the form asks for, as the services take it."""
        repeats = self.cleaned_data["repeats"] or 1
        kind = Run.Kind.CONSISTENCY if repeats > 1 else kind_of(self.cleaned_data["rows"])
        return {
            "judge_version": self.cleaned_data["judge_version"],
            "kind": kind,
            "asks_all": self.cleaned_data["asks_all"] or None,
            "repeats": repeats,
            "most_rows": self.cleaned_data["most_rows"],
            **self.chosen,
        }

    @property
    def chosen(self) -> dict[str, Any]:
        """Which rows, before a number of them is drawn."""
        return {
            "criteria_version": self.cleaned_data["criteria_version"],
            "scope": self.cleaned_data["rows"],
            "include_unlabelled": self.cleaned_data["unlabelled"],
        }

    @property
    def sent(self) -> list[tuple[str, Any]]:
        """Names and values to send again so that just this is started."""
        fields = self.visible_fields()
        return [
            (field.html_name, value) for field in fields if (value := field.value()) not in (None, "", False)
        ]

    @property
    def warnings(self) -> list[str]:
        """What to know of the jurors' families and examples before these rows are judged."""
        judge = self.cleaned_data["judge_version"]
        prefetch_related_objects([judge], "seats__juror__judge")
        jurors, rows = judge.jurors(), candidates_of(**self.chosen)
        of_families = panel_warnings(jurors) + own_family_warnings(jurors, written(rows))
        notes = example_notes(judge, self.cleaned_data["criteria_version"])
        return of_families + notes + self._beside(judge)

    def _beside(self, judge: JudgeVersion) -> list[str]:
        """What is started with this run because the policy demands it."""
        criteria = self.cleaned_data["criteria_version"]
        demands = criteria.criteria_set.demand_ordering
        rows = candidates_to_order(judge, criteria).count() if demands else 0
        if not rows or self.asked["kind"] != Run.Kind.CALIBRATION:
            return []
        calls = many(rows * len(judge.jurors()), "more call")
        return [
            f"The policy demands an ordering test, so a second run asks about the {many(rows, 'output')} of "
            f"the reference sets: {calls}. Limits that you set hold for each of the two."
        ]

    def estimate(self) -> Estimate | None:
        """What the run will take; None with the reason written on the form where it cannot be."""
        if not self.is_valid():
            return None
        try:
            found = estimate(**self.asked)
        except CannotRun as problem:
            self.add_error(None, str(problem))
            return None
        if not found.rows:
            self.add_error(None, "There are no such rows to judge yet. Label or import some, then come back.")
            return None
        return found

    def start(self, expected: Estimate, actor: AnyUser) -> tuple[Run, bool] | None:
        """Start what was shown; None with the reason on the form where something changed since."""
        if self.cleaned_data["expected"] != expected.calls:
            self.add_error(
                None, "The expected number of calls is another one now. Look at it, then start the run."
            )
            return None
        budgets = {name: self.cleaned_data[name] for name in BudgetForm.base_fields}
        try:
            return start_once(**self.asked, **budgets, actor=actor)
        except CannotRun as problem:
            self.add_error(None, str(problem))
            return None


class VerdictFilter(forms.Form):
    """Which verdicts to list."""

    outcome = forms.ChoiceField(
        label="Verdict",
        required=False,
        choices=[("", "any"), ("pass", "pass"), ("fail", "fail"), ("escalated", "sent to people")],
    )
