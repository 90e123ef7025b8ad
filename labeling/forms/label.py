"""The forms of the labeling page: which row, what was decided and typed, why it was skipped."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from django import forms
from django.forms import BoundField

from labeling.domain.criteria import JUDGE
from labeling.models import Candidate, CriteriaSet, CriteriaVersion, Criterion, Skip, Verdict

_LONGEST_COMMENT = 10_000
_MOST_BUTTONS = 7  # a wider scale is typed, not chosen
_LONGEST_OPEN = 7 * 86_400  # seconds; a page that was open for longer tells nothing about the time


class TimeSpent(NamedTuple):
    """Whole seconds on a row: at work on it, and those in which nobody touched the page."""

    seconds: int | None
    idle_seconds: int | None


class RowForm(forms.Form):
    """Which row a submission is about: the one on the page it was sent from, whoever holds it now."""

    candidate = forms.ModelChoiceField(Candidate.objects.none())
    version = forms.ModelChoiceField(CriteriaVersion.objects.none())

    def __init__(self, criteria_set: CriteriaSet, data: Mapping[str, Any]) -> None:
        super().__init__(data)
        # Only the identity: a candidate of 10 MB need not be read to be labelled.
        candidates = criteria_set.candidates.only("pk", "criteria_set")
        self.fields["candidate"] = forms.ModelChoiceField(candidates)
        self.fields["version"] = forms.ModelChoiceField(criteria_set.versions.all())


class TypedForm(forms.Form):
    """What a labeler types beside the verdict: a comment and, where they like, a mark per criterion."""

    comment = forms.CharField(required=False, max_length=_LONGEST_COMMENT)
    shown = forms.FloatField(required=False)  # when the row came on the page, seconds since 1970
    idle = forms.FloatField(required=False)  # seconds of these in which nobody touched the page

    def __init__(
        self, version: CriteriaVersion, data: Mapping[str, Any] | None = None, **options: Any
    ) -> None:
        super().__init__(data, **options)
        self.criteria = list(version.criteria.all())
        for criterion in self.criteria:
            if criterion.strategy == JUDGE:
                self.fields[mark_field(criterion)] = _mark(criterion)

    def marked(self) -> Iterator[tuple[Criterion, BoundField]]:
        """Each criterion that a person may mark, with the field of its mark."""
        for criterion in self.criteria:
            if criterion.strategy == JUDGE:
                yield criterion, self[mark_field(criterion)]

    def ruled(self) -> list[Criterion]:
        """The criteria that rules score in code; they take no mark."""
        return [criterion for criterion in self.criteria if criterion.strategy != JUDGE]

    def marks(self) -> dict[str, int]:
        """The marks given, by the criterion's name."""
        given = {criterion.name: self.cleaned_data.get(mark_field(criterion)) for criterion in self.criteria}
        return {name: score for name, score in given.items() if score is not None}

    def time_spent(self, now: datetime) -> TimeSpent:
        """Since the row was shown, idle time apart; nothing where the page did not say."""
        shown, idle = self.cleaned_data.get("shown"), self.cleaned_data.get("idle")
        if shown is None or not 0 <= now.timestamp() - shown <= _LONGEST_OPEN:
            return TimeSpent(None, None)
        passed = round(now.timestamp() - shown)
        if idle is None:
            return TimeSpent(passed, None)
        apart = round(min(max(idle, 0), passed))
        return TimeSpent(passed - apart, apart)


def mark_field(criterion: Criterion) -> str:
    """The name of the form field that holds the mark on `criterion`."""
    return f"mark-{criterion.position}"


def typed(version: CriteriaVersion, draft: Mapping[str, Any]) -> TypedForm:
    """The form as it stands for a row whose draft is `draft`."""
    marks = draft.get("marks", {})
    initial = {mark_field(c): marks[c.name] for c in version.criteria.all() if c.name in marks}
    return TypedForm(version, initial={**initial, "comment": draft.get("comment", "")})


def _mark(criterion: Criterion) -> forms.Field:
    low, high = criterion.scale_min, criterion.scale_max
    if high - low >= _MOST_BUTTONS:
        return forms.IntegerField(required=False, min_value=low, max_value=high)
    words = {0: "not met", 1: "met"} if (low, high) == (0, 1) else {}
    scores = [(score, words.get(score, str(score))) for score in range(low, high + 1)]
    return forms.TypedChoiceField(
        choices=[("", "–"), *scores], coerce=int, empty_value=None, required=False, widget=forms.RadioSelect
    )


class VerdictForm(forms.Form):
    """The button that was pressed: pass or fail."""

    verdict = forms.ChoiceField(choices=Verdict.choices)


class SkipForm(forms.Form):
    """Why a row is passed on."""

    reason = forms.ChoiceField(choices=Skip.Reason.choices)
    comment = forms.CharField(required=False, max_length=_LONGEST_COMMENT)

    def clean(self) -> None:
        """Another reason than those on the list must be written down."""
        if self.cleaned_data.get("reason") == Skip.Reason.OTHER and not self.cleaned_data.get("comment"):
            self.add_error("comment", "Write your reason into the comment, then skip.")
