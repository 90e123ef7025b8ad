"""One criterion as the editor of criteria sends it, and the list of them."""

from collections.abc import Callable, Mapping
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator

from labeling.domain.content import text_problem
from labeling.domain.criteria import JUDGE, CriterionSpec, InvalidCriteria, check_criterion
from labeling.domain.rules import RULES
from labeling.services.criteria import LARGEST_NUMBER

MOST_CRITERIA = 50
LINE_BREAK = "⏎"  # in a text that is typed on one line
_TOO_LARGE = f"Weights and scales go up to {LARGEST_NUMBER}; use smaller numbers."
_NUMBER = {"required": "Write a whole number.", "invalid": "Write a whole number."}
_LIMITS = [MinValueValidator(-LARGEST_NUMBER, _TOO_LARGE), MaxValueValidator(LARGEST_NUMBER, _TOO_LARGE)]


# In a form a rule's parameters are fields, and what they lack is said of these.
_LACKING = {
    "words": "Say how many words are the most, such as 90.",
    "texts": "Write at least one text that the output must contain.",
}


class CriterionForm(forms.Form):
    """One criterion. Left empty, it is no criterion."""

    name = forms.CharField(
        max_length=80,
        help_text="Short; judges answer by it, such as “faithful”.",
        error_messages={"required": "Give the criterion a short name, or take it out."},
    )
    description = forms.CharField(
        label="What good looks like",
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="What a person or a judge shall look for, in a sentence or two. Say where the line is: "
        "“a wrong date fails, a missing greeting does not”.",
        error_messages={"required": "Say what good looks like."},
    )
    scale_min = forms.IntegerField(
        label="Lowest score",
        initial=0,
        validators=_LIMITS,
        help_text="0 for yes or no, 1 for grades.",
        error_messages=_NUMBER,
    )
    scale_max = forms.IntegerField(
        label="Highest score",
        initial=1,
        validators=_LIMITS,
        help_text="1 for yes or no, 5 for grades.",
        error_messages=_NUMBER,
    )
    required = forms.BooleanField(
        required=False,
        initial=True,
        help_text="Below its minimum the output fails, whatever else is good. Not required, it only counts "
        "in the overall score.",
    )
    minimum = forms.IntegerField(
        required=False,
        initial=1,
        help_text="The smallest score that is good enough. Yes or no: 1. Grades from 1 to 5: often 4.",
    )
    weight = forms.IntegerField(
        initial=1,
        min_value=1,
        validators=_LIMITS,
        help_text="How often it counts in the overall score: 3 counts as much as three criteria of weight 1.",
        error_messages={"required": "Give it a weight: 1 where all count alike."},
    )
    strategy = forms.ChoiceField(
        label="Scored by",
        initial=JUDGE,
        choices=[
            (JUDGE, "a judge, and people"),
            *((name, f"a rule: {rule.title}") for name, rule in sorted(RULES.items())),
        ],
        help_text="A rule scores where code can decide: highest score or lowest. Nobody is asked then.",
    )
    words = forms.IntegerField(
        label="Most words", required=False, min_value=1, max_value=1_000_000, help_text="Such as 90."
    )
    texts = forms.CharField(
        label="Texts that it must contain",
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=f"One on each line, letter by letter; {LINE_BREAK} stands for a line break in a text.",
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if self.has_changed() and not self.errors and not cleaned.get("DELETE"):
            try:
                check_criterion(criterion_spec(cleaned))
            except InvalidCriteria as invalid:
                field = self._field_of(invalid.field)
                problem = _LACKING.get(field, invalid.problem) if field else str(invalid)
                self.add_error(field, problem)
        return cleaned

    def clean_texts(self) -> str:
        texts: str = self.cleaned_data["texts"]
        if problem := text_problem(texts):
            raise forms.ValidationError(problem)
        return texts

    def _field_of(self, name: str) -> str | None:
        """The field beside which to say it; of a rule's parameters, the one in which they are typed."""
        if name == "params":
            name = {"max_words": "words", "includes": "texts"}.get(self.cleaned_data["strategy"], "strategy")
        return name if name in self.fields else None


class CriteriaFormSet(forms.BaseFormSet[CriterionForm]):
    """All criteria of a version, in their order. Two of one name are told apart beside the second."""

    def clean(self) -> None:
        names: set[str] = set()
        for form in self.forms:
            cleaned = getattr(form, "cleaned_data", {})
            name = cleaned.get("name")
            if not name or cleaned.get("DELETE"):
                continue
            if name in names:
                form.add_error("name", f"Two criteria are called “{name}”; give each its own name.")
            names.add(name)


def _formset(extra: int) -> Any:
    return forms.formset_factory(
        CriterionForm,
        formset=CriteriaFormSet,
        extra=extra,
        can_delete=True,
        can_order=True,
        max_num=MOST_CRITERIA,
        absolute_max=MOST_CRITERIA + 1,  # a made-up total must not make a thousand forms
        validate_max=True,
    )


CriterionFormSet = _formset(extra=0)
NewCriteriaFormSet = _formset(extra=1)  # of a set that has none yet


def _words(cleaned: Mapping[str, Any]) -> dict[str, Any]:
    return {} if cleaned["words"] is None else {"words": cleaned["words"]}


def _texts(cleaned: Mapping[str, Any]) -> dict[str, Any]:
    lines = cleaned["texts"].replace("\r\n", "\n").split("\n")
    texts = [line.replace(LINE_BREAK, "\n") for line in lines if line]
    return {"text": texts} if texts else {}


# What was typed for a rule that takes parameters. Fields of other rules are left alone.
_PARAMS: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {"max_words": _words, "includes": _texts}


def criterion_spec(cleaned: Mapping[str, Any]) -> CriterionSpec:
    """The criterion that a cleaned form describes."""
    params = _PARAMS.get(cleaned["strategy"])
    return CriterionSpec(
        name=cleaned["name"],
        description=cleaned["description"],
        weight=cleaned["weight"],
        required=cleaned["required"],
        scale_min=cleaned["scale_min"],
        scale_max=cleaned["scale_max"],
        minimum=cleaned["minimum"],
        strategy=cleaned["strategy"],
        params=params(cleaned) if params else {},
    )


def initial_criterion(criterion: CriterionSpec) -> dict[str, Any]:
    """A criterion as its form wants it. The inverse of `criterion_spec`."""
    texts = [text.replace("\n", LINE_BREAK) for text in criterion.params.get("text", ())]
    plain = {name: getattr(criterion, name) for name in CriterionForm.base_fields if hasattr(criterion, name)}
    return plain | {"words": criterion.params.get("words"), "texts": "\n".join(texts)}
