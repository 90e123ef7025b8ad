"""Which rows a lead has drawn for people."""

import secrets
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone

from judging.forms.runs import JudgeField
from judging.models import JudgeVersion
from judging.services.drawing import (
    Order,
    Preview,
    differing_rows,
    draw_rows,
    judges_on,
    newest_draw,
    preview_stratified,
)
from labeling.access import AnyUser
from labeling.domain.strata import FEWEST
from labeling.models import CriteriaVersion, Draw
from labeling.services.archiving import Archived
from labeling.services.draws import NO_FAIR_SAMPLE, CannotDraw, frame_of

_MOST = 100_000


def usual_strategy(version: CriteriaVersion) -> str:
    """How rows can be drawn next that certify: by verdict once that was begun, else at random."""
    begun = Draw.objects.stratified(version.criteria_set).exists()
    return Draw.Strategy.STRATIFIED if begun else Draw.Strategy.RANDOM


class DrawForm(forms.Form):
    """By what rows are chosen, by whose verdicts, and how many."""

    strategy = forms.ChoiceField(
        label="Which rows",
        choices=[
            ("random", "at random"),
            ("stratified", "by a judge’s verdict"),
            ("disagreement", "where jurors differ"),
        ],
        help_text="By verdict: enough rows of each kind. Where jurors differ: for tuning only.",
    )
    judge = JudgeField(
        label="Whose verdicts",
        queryset=JudgeVersion.objects.none(),
        required=False,
        empty_label="choose a judge…",
        help_text="A judge that was asked on these criteria. A draw at random needs none.",
    )
    most = forms.IntegerField(
        label="How many rows",
        min_value=FEWEST,
        max_value=_MOST,
        initial=100,
        error_messages={
            "required": "Say how many rows.",
            "invalid": "Say how many rows in digits, such as 100.",
            "min_value": "Draw at least %(limit_value)s rows.",
            "max_value": "Draw at most %(limit_value)s rows at once.",
        },
        help_text=f"At least {FEWEST}: of fewer it could be told what the judge said of a row.",
    )

    seen = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, version: CriteriaVersion, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.version = version
        self.judge_field.queryset = judges_on(version)

    @property
    def judge_field(self) -> JudgeField:
        """The field with the judges to choose from."""
        field = self.fields["judge"]
        assert isinstance(field, JudgeField)
        return field

    def clean(self) -> dict[str, Any]:
        """A draw by verdicts names whose."""
        found = super().clean() or {}
        strategy, judge = found.get("strategy"), found.get("judge")
        if strategy == "random" != usual_strategy(self.version):
            self.add_error("strategy", NO_FAIR_SAMPLE)
        if strategy == "stratified" and not judge:
            self.add_error("judge", "Choose a judge, by whose verdicts rows are told apart.")
        if strategy == "disagreement" and (not judge or judge.kind != JudgeVersion.Kind.PANEL):
            self.add_error("judge", "Choose a panel: a single judge has nobody to differ from.")
        return found

    def preview(self) -> Preview | int | None:
        """What would be drawn: by verdict its strata, else from how many rows; None of an invalid form."""
        if not self.is_valid():
            return None
        chosen, now = self.cleaned_data, timezone.now()
        if chosen["strategy"] == "stratified":
            return preview_stratified(self.version, chosen["judge"], chosen["most"], now)
        if chosen["strategy"] == "disagreement":
            return differing_rows(self.version, chosen["judge"], now).count()
        return frame_of(self.version, now).count()

    def draw(self, actor: AnyUser) -> Draw | None:
        """Draw the rows; None where the form says why not."""
        order = Order(**{name: self.cleaned_data[name] for name in ("strategy", "judge", "most", "seen")})
        seed, now = secrets.token_hex(8), timezone.now()
        try:
            return draw_rows(version=self.version, order=order, seed=seed, now=now, actor=actor)
        except (CannotDraw, Archived) as problem:
            self.add_error(None, ValidationError(str(problem)))
            return None

    @property
    def sent(self) -> dict[str, str]:
        """What was chosen, for the form that draws."""
        judge = self.cleaned_data["judge"]
        return {
            "strategy": self.cleaned_data["strategy"],
            "judge": str(judge.pk) if judge else "",
            "most": str(self.cleaned_data["most"]),
            "seen": str(newest_draw(self.version)),
        }
