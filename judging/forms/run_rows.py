"""Which of a run's replies without a verdict to look at."""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.db.models import QuerySet

from judging.domain.reasons import SKIP_SENTENCES
from judging.models import JudgeVersion, Verdict


@dataclass(frozen=True, slots=True)
class SkipCounts:
    """What there is to choose from: replies by reason, by juror, and how many were asked for again."""

    by_reason: dict[str, int]
    by_juror: dict[JudgeVersion, int]
    again: int


class SkipFilter(forms.Form):
    """Reason and juror; or the replies that were asked for again, whatever came of it."""

    reason = forms.ChoiceField(label="Reason", required=False)
    juror = forms.ChoiceField(label="Juror", required=False)
    show = forms.ChoiceField(label="Show", required=False)

    def __init__(self, *args: Any, counts: SkipCounts, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._sizes: dict[str, int] = {}
        reasons, asked = counts.by_reason, self.data.get("reason", "")
        listed = {**reasons, asked: reasons.get(asked, 0)} if asked in SKIP_SENTENCES else reasons
        named = [(code, f"{code.replace('_', ' ')} ({n:,})") for code, n in listed.items()]
        self._offer("reason", ("", f"any ({sum(reasons.values()):,})"), *named)
        of_jurors = [(str(juror.pk), f"{juror} ({n:,})") for juror, n in counts.by_juror.items()]
        self._offer("juror", ("", "any"), *of_jurors)
        again = [("again", f"asked again ({counts.again:,})")] if counts.again else []
        self._offer("show", ("", "without a verdict"), *again)

    def _offer(self, name: str, *choices: tuple[str, str]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = choices
        self._sizes[name] = len(choices)

    @property
    def offered(self) -> list[forms.BoundField]:
        """The fields in which there is anything to choose, or a choice to be undone."""
        least = {"reason": 2, "juror": 2, "show": 1}
        return [self[name] for name, n in least.items() if self._sizes[name] > n or self[name].value()]

    def choose(self, skipped: QuerySet[Verdict], again: QuerySet[Verdict]) -> QuerySet[Verdict]:
        """The chosen ones of `skipped`, or of those asked for `again`; all where the choice is none."""
        if not self.is_valid():
            return skipped
        found = again if self.cleaned_data["show"] == "again" else skipped
        if juror := self.cleaned_data["juror"]:
            found = found.filter(judge_version=juror)
        if reason := self.cleaned_data["reason"]:
            then = self.cleaned_data["show"] == "again"
            found = found.filter(**{"skipped_attempts__reason" if then else "reason": reason})
        return found
