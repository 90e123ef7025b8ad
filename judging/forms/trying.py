"""What to try a judge on: a row, or texts of one's own."""

from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.db.models import F, QuerySet

from judging.forms.runs import CriteriaField
from judging.models import JudgeVersion, Run, Trial
from judging.services.trials import CannotTry, offered_rows, start_trial
from labeling.access import AnyUser, led_sets
from labeling.models import CriteriaVersion

_LONGEST = 100_000  # characters
_EXAMPLE = {
    "request": "Say hello in one short sentence.",
    "output": "Hello, and welcome! How can I help?",
}


class CriteriaForm(forms.Form):
    """By which criteria to judge; the rows to choose from are that set's."""

    criteria_version = CriteriaField(
        label="Criteria", queryset=CriteriaVersion.objects.none(), empty_label=None
    )

    def __init__(self, *args: Any, user: AnyUser, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["criteria_version"]
        assert isinstance(field, CriteriaField)
        field.queryset = possible_criteria(user)


def possible_criteria(user: AnyUser) -> QuerySet[CriteriaVersion]:
    """Live versions and newer drafts of the sets that `user` leads."""
    found = CriteriaVersion.objects.filter(
        number__gte=F("criteria_set__live_version__number"), criteria_set__in=led_sets(user)
    )
    return found.select_related("criteria_set").order_by("criteria_set__slug", "number")


def chosen_criteria(user: AnyUser, judge: JudgeVersion, named: str | None) -> CriteriaVersion | None:
    """The version that `named` is the id of, else the one that the judge last ran on, else the first."""
    possible = possible_criteria(user)
    if named and named.isascii() and named.isdecimal() and len(named) < 19:
        return possible.filter(pk=named).first()
    runs = Run.objects.filter(judge_version__judge=judge.judge_id, criteria_version__in=possible)
    last = runs.order_by("-pk").first()
    return possible.filter(pk=last.criteria_version_id).first() if last else possible.first()


class TrialForm(forms.Form):
    """A row of the criteria set, or a text of one's own, which goes first."""

    row = forms.ChoiceField(
        required=False,
        help_text="Tune rows, and rows that nobody has labelled. Others certify judges.",
    )
    output = forms.CharField(
        label="Output to judge", required=False, strip=False, max_length=_LONGEST, widget=forms.Textarea
    )
    request = forms.CharField(
        label="What the user asked", required=False, strip=False, max_length=_LONGEST, widget=forms.Textarea
    )
    grounding = forms.CharField(
        label="Facts it may lean on (grounding)",
        required=False,
        strip=False,
        max_length=_LONGEST,
        widget=forms.Textarea,
    )
    criteria_text = forms.CharField(
        label="Criteria of this one output",
        required=False,
        strip=False,
        max_length=_LONGEST,
        widget=forms.Textarea,
        help_text="Only where what is good differs from output to output.",
    )

    def __init__(self, *args: Any, judge: JudgeVersion, version: CriteriaVersion, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._judge, self._version = judge, version
        self.offers = offered_rows(version, judge)
        field = self.fields["row"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [
            (str(offer.pk), f"{offer.pk} ({'tune' if offer.tune else 'unlabelled'}): {offer.excerpt}")
            for offer in self.offers
        ]
        for text in ("output", "request", "grounding", "criteria_text"):
            self.fields[text].widget.attrs["rows"] = 3
        if not self.offers:
            del self.fields["row"]
            self.initial = _EXAMPLE

    @property
    def texts(self) -> list[forms.BoundField]:
        """The fields of one's own text."""
        return [field for field in self if field.name != "row"]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not cleaned.get("output") and not cleaned.get("row") and not self.errors:
            raise forms.ValidationError("There is nothing to judge. Choose a row, or fill in an output.")
        return cleaned

    def save(self, actor: User) -> Trial | None:
        """The trial; None with the reason written on the form."""
        asked = self.cleaned_data
        # A browser sends every end of a line as two characters; rows have mostly one.
        own = {
            name: asked[name].replace("\r\n", "\n")
            for name in ("request", "output", "grounding", "criteria_text")
        }
        what: dict[str, Any] = {"texts": own} if asked["output"] else {"row": int(asked["row"])}
        try:
            return start_trial(judge_version=self._judge, criteria_version=self._version, actor=actor, **what)
        except CannotTry as problem:
            self.add_error(None, str(problem))
            return None
