"""A judge whose verdicts come from a file: which file, for which criteria set, whose verdicts."""

from typing import Any

from django import forms

from judging.domain.judges import InvalidJudge
from judging.services.recordings import Order, RecordingReport, load_recordings
from labeling.access import AnyUser, led_sets
from labeling.formats.rows import FileProblem
from labeling.forms.imports import LARGEST_FILE
from labeling.models import CriteriaSet
from labeling.services.imports import ImportProblem


class SetField(forms.ModelChoiceField[CriteriaSet]):
    """A criteria set to choose."""

    def label_from_instance(self, obj: CriteriaSet) -> str:
        return f"{obj.name} ({obj.slug})"


class RecordingForm(forms.Form):
    """A file of judges' verdicts and what to take of it."""

    file = forms.FileField(
        help_text="JSON Lines, one JSON array, or CSV; UTF-8.",
        error_messages={"empty": "The file is empty: there is nothing to load. Choose another one."},
    )
    criteria_set = SetField(
        label="Criteria set",
        queryset=CriteriaSet.objects.none(),
        help_text="Whose rows are judged in the file. Import the rows first.",
    )
    name = forms.CharField(
        label="Judge in the file",
        required=False,
        max_length=200,
        help_text="What the file calls it. Empty: every judge in the file, each by its own name.",
    )
    judge = forms.SlugField(
        label="Short name",
        required=False,
        max_length=80,
        help_text="What the judge is called here. Empty: made from its name in the file. That of a recorded "
        "judge which is there loads a corrected file.",
    )
    family = forms.CharField(
        required=False,
        max_length=80,
        help_text="Who made the model, such as openai: no judge is independent of its own family's answers. "
        "Empty: not known, or as before.",
    )
    promote = forms.BooleanField(
        required=False,
        label="Make it the live version at once",
        label_suffix="",
        help_text="A judge's first version is live in any case; a later one is a draft otherwise.",
    )
    keep_good = forms.BooleanField(
        required=False, label="Keep the good rows of a file that has bad ones", label_suffix=""
    )
    dry_run = forms.BooleanField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, user: AnyUser, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["criteria_set"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = led_sets(user).order_by("slug")
        if len(only := field.queryset[:2]) == 1:
            field.initial = only[0].pk

    def clean_file(self) -> object:
        file = self.cleaned_data["file"]
        if file.size > LARGEST_FILE:
            raise forms.ValidationError("The file is larger than 1 GB. Cut it into several.")
        return file

    def load(self, actor: AnyUser) -> RecordingReport | None:
        """What became of the file; None where it could not be read, with the reason on the form."""
        asked = self.cleaned_data
        order = Order(
            name=asked["name"],
            judge=asked["judge"],
            every=not asked["name"] and not asked["judge"],
            family=asked["family"] or None,
            promote=asked["promote"],
            keep_good=asked["keep_good"],
            dry_run=asked["dry_run"],
        )
        try:
            return load_recordings(
                stream=asked["file"].file,
                file_name=asked["file"].name,
                criteria_set=asked["criteria_set"].slug,
                order=order,
                actor=actor,
            )
        except (FileProblem, ImportProblem) as problem:
            self.add_error("file", str(problem))
        except InvalidJudge as problem:
            self.add_error("judge", str(problem))
        return None
