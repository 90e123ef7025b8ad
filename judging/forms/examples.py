"""Which rows a judge is shown as examples: a criteria set, and settled tune rows of it to tick."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.db.models import QuerySet

from judging.domain.examples import MOST_CHARACTERS, MOST_ROWS, Examples, read_stored
from judging.domain.judges import ExampleChoice, InvalidJudge
from judging.models import JudgeVersion
from judging.services.examples import PossibleExample, named, possible_examples
from labeling.access import AnyUser, led_sets
from labeling.models import Candidate, CriteriaSet

LONGEST_ID = 18  # digits: above any id, SQLite would stumble instead of finding nothing


class ExampleRows(forms.MultipleChoiceField):
    """Rows by their ids; which of them may be examples the service says."""

    def valid_value(self, value: Any) -> bool:
        return bool(_ids([value]))


class ExamplesForm(forms.Form):
    """The examples of a model: a part of its form. `held`: those of the version that the form starts from."""

    examples_of = forms.ModelChoiceField(
        label="Rows of",
        required=False,
        queryset=CriteriaSet.objects.none(),
        empty_label="no criteria set: no examples",
    )
    example_rows = ExampleRows(label="Rows", required=False, widget=forms.CheckboxSelectMultiple)
    find_row = forms.IntegerField(
        label="Find a row by its number", required=False, min_value=1, max_value=10**LONGEST_ID - 1
    )
    most_rows, most_characters = MOST_ROWS, MOST_CHARACTERS

    def __init__(self, *args: Any, user: AnyUser, held: Examples | None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial = dict(self.initial)
        self.held = held
        sets = led_sets(user).filter(live_version__isnull=False).select_related("live_version")
        field = self.fields["examples_of"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = sets.order_by("slug")
        # Examples of a set that its editor does not lead are not shown to them, and stay.
        self.hidden = held if held and not sets.filter(slug=held.criteria_set).exists() else None
        typed = self.data if self.is_bound else self.initial
        self.sought = next(iter(_ids([typed.get("find_row", "")])), None)
        self.offers = self._offers(sets)
        self.initial["find_row"] = None  # it has been found, or there is none
        rows = self.fields["example_rows"]
        assert isinstance(rows, forms.MultipleChoiceField)
        rows.choices = [(str(each.pk), str(each)) for each in self.offers]

    def _offers(self, sets: QuerySet[CriteriaSet]) -> list[PossibleExample]:
        chosen = sets.filter(pk__in=_ids([self["examples_of"].value()])).first()
        if chosen is None or chosen.live_version is None:
            return []
        ticked = _ids(self["example_rows"].value() or [])
        return possible_examples(chosen.live_version, ticked, self.sought)

    @property
    def choice(self) -> ExampleChoice | None:
        """The ticked rows; those that the judge has keep their order. Raises `InvalidJudge`."""
        criteria_set = self.cleaned_data["examples_of"]
        if criteria_set is None:
            return named(self.hidden)
        wanted = _ids(self.cleaned_data["example_rows"])
        rows = Candidate.objects.filter(criteria_set=criteria_set, pk__in=wanted).order_by("pk")
        hashes = dict(rows.values_list("pk", "content_hash"))
        if missing := set(wanted) - set(hashes):
            raise InvalidJudge(f"There is no row {min(missing)} in “{criteria_set.slug}”.")
        ticked = set(hashes.values())
        before = [each for each in (self.held.hashes if self.held else ()) if each in ticked]
        return ExampleChoice(
            criteria_set.slug, (*before, *(each for each in hashes.values() if each not in before))
        )


def examples_of(version: JudgeVersion) -> dict[str, Any]:
    """The examples of a version as the form shows them."""
    if (examples := read_stored(version.examples)) is None:
        return {}
    rows = Candidate.objects.filter(
        criteria_set__slug=examples.criteria_set, content_hash__in=examples.hashes
    )
    return {
        "examples_of": CriteriaSet.objects.filter(slug=examples.criteria_set).first(),
        "example_rows": [str(pk) for pk in rows.values_list("pk", flat=True)],
    }


def _ids(values: Iterable[Any]) -> list[int]:
    """The row numbers among what came in a form."""
    texts = [str(getattr(value, "pk", value)) for value in values]
    return [int(each) for each in texts if each.isascii() and each.isdecimal() and len(each) <= LONGEST_ID]
