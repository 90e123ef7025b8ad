"""Making reference sets: picking rows, bringing in pairs, naming."""

from collections.abc import Iterable
from typing import Any, ClassVar

from django import forms

from judging.models import ReferenceSet
from judging.services.reference_sets import LONGEST_NAME, CannotOrder, make_reference_set, rename_set
from labeling.access import AnyUser
from labeling.forms.imports import LARGEST_FILE
from labeling.models import CriteriaVersion

GOOD, DEFICIENT, OUT = "good", "deficient", ""
_PEOPLE = {"pass": GOOD, "fail": DEFICIENT}


class PickForm(forms.Form):
    """A name, and a mark for each output to one request, which begins with what people say of it."""

    MARKS: ClassVar = [(OUT, "leave out"), (GOOD, "good"), (DEFICIENT, "clearly deficient")]
    name = forms.CharField(max_length=LONGEST_NAME, label="Name of the set")

    def __init__(self, *args: Any, rows: Iterable[Any], **kwargs: Any) -> None:
        """`rows`: candidates with `truth`."""
        super().__init__(*args, **kwargs)
        for row in rows:
            self.fields[f"row_{row.pk}"] = forms.ChoiceField(
                choices=self.MARKS,
                required=False,
                label=f"Row {row.pk}",
                initial=_PEOPLE.get(row.truth or "", OUT),
            )

    def marked(self, mark: str) -> list[int]:
        """The ids of the rows with this mark."""
        given = self.cleaned_data.items()
        return [int(name.removeprefix("row_")) for name, value in given if value == mark and name != "name"]

    def save(self, version: CriteriaVersion, actor: AnyUser) -> ReferenceSet | None:
        """The set as it was made; None with the reason on the form where it cannot be."""
        if not self.is_valid():
            return None
        try:
            return make_reference_set(
                version=version,
                name=self.cleaned_data["name"],
                good=self.marked(GOOD),
                deficient=self.marked(DEFICIENT),
                actor=actor,
            )
        except CannotOrder as problem:
            self.add_error(None, str(problem))
            return None


class RenameForm(forms.Form):
    """Another name for a set."""

    name = forms.CharField(max_length=LONGEST_NAME, label="Name")

    def save(self, reference_set: ReferenceSet, actor: AnyUser) -> bool:
        """Whether it was renamed; else the reason is on the form."""
        if not self.is_valid():
            return False
        try:
            rename_set(reference_set=reference_set, name=self.cleaned_data["name"], actor=actor)
        except CannotOrder as problem:
            self.add_error("name", str(problem))
            return False
        return True


class ReferenceImportForm(forms.Form):
    """A file of pairs and how to read it."""

    file = forms.FileField(
        help_text="JSON Lines (one object on each line) or one JSON array, UTF-8.",
        error_messages={"empty": "The file is empty: there is nothing to import. Choose another one."},
    )
    gold = forms.CharField(
        required=False,
        max_length=200,
        label="Whose vote decides",
        help_text="An annotator's name. Empty: the file's own final vote, else its annotators' majority.",
    )
    decides = forms.BooleanField(
        required=False,
        label="The worse ones are clearly deficient: count these sets for certificates",
        label_suffix="",
        help_text="Else they count for the figures only: the worse of two need not be bad.",
    )
    keep_good = forms.BooleanField(
        required=False, label="Keep the good rows of a file that has bad ones", label_suffix=""
    )
    dry_run = forms.BooleanField(required=False, label="Only check", label_suffix="")

    def clean_file(self) -> object:
        file = self.cleaned_data["file"]
        if file.size > LARGEST_FILE:
            raise forms.ValidationError("The file is larger than 1 GB. Cut it into several.")
        return file
