"""Bringing a file in, by a lead."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from django import forms

from labeling.domain.sampling import Split
from labeling.formats.columns import FIELDS, MARK, Preview
from labeling.formats.detect import WORDS
from labeling.formats.field_mapping import check_mapping, fields_of
from labeling.formats.rows import FileProblem
from labeling.services.import_files import LARGEST
from labeling.services.imports import HASH

_TABLES = ("csv", "tsv")  # formats of which the first rows have every column
LARGEST_FILE = LARGEST
MOST_COLUMNS = 200  # that are offered; a row with more further columns is refused anyway


class UploadForm(forms.Form):
    """A file."""

    file = forms.FileField(
        help_text="JSON Lines, a JSON array, CSV or TSV; of Vera, Label Studio, Langfuse or any other tool. "
        "At most 1 GB.",
        error_messages={
            "empty": "The file is empty: there is nothing to import. Choose another one.",
            "required": "No file was chosen. Choose one.",
        },
    )

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.problem:
            raise forms.ValidationError(file.problem)
        return file


class FormatForm(forms.Form):
    """What a file is to be read as."""

    format = forms.ChoiceField(
        label="Format", choices=[(name, words[:1].upper() + words[1:]) for name, words in WORDS.items()]
    )


class OrderForm(FormatForm):
    """How the rows of a file come in; a select for each column of a table as `column-0`, `column-1` …"""

    SPLITS: ClassVar = [
        (Split.CERTIFY, "certify: these rows may certify judges"),
        (Split.TUNE, "tune: these rows are for working on prompts"),
        (HASH, "by request: 30 % tune, answers to one request together"),
    ]
    split = forms.ChoiceField(
        choices=SPLITS, help_text="For rows that name no split; known candidates keep theirs."
    )
    keep_good = forms.BooleanField(
        required=False, label="Keep the good rows of a file that has bad ones", label_suffix=""
    )

    def __init__(
        self,
        *args: Any,
        preview: Preview | None = None,
        mapping: Mapping[str, str] | None = None,
        criteria: Sequence[str] = (),
        **kwargs: Any,
    ) -> None:
        """`preview`: of a format that takes a mapping; `mapping`: to begin with, else what is likely."""
        super().__init__(*args, **kwargs)
        self.fields["format"].widget = forms.HiddenInput()
        self.preview = preview
        self._columns = list(preview.suggested)[:MOST_COLUMNS] if preview else []
        marks = [("Marks on a criterion", [(MARK + name, name) for name in criteria])] if criteria else []
        begin = mapping or (preview.suggested if preview else {})
        for number, name in enumerate(self._columns):
            self.fields[f"column-{number}"] = forms.ChoiceField(
                choices=[*FIELDS.items(), *marks],
                label=name,
                required=False,
                initial=begin.get(name, ""),
                widget=forms.Select(attrs={"class": "code"}),  # names of criteria are among its words
            )

    def clean(self) -> dict[str, Any]:
        """A mapping that no file could be read by is refused here, not by a worker later."""
        if self.preview and not self.errors:
            try:
                mapping = check_mapping(self.mapping)
                if self.cleaned_data["format"] in _TABLES and not self.preview.more_columns:
                    fields_of(self.preview.columns, mapping)
            except FileProblem as problem:
                self.add_error(None, str(problem))
        return self.cleaned_data

    def columns(self) -> list[tuple[forms.BoundField, list[str]]]:
        """The select of each column, with what the first rows have there."""
        shown = self.preview.rows[:3] if self.preview else []
        return [
            (self[f"column-{number}"], [row.get(name, "") for row in shown])
            for number, name in enumerate(self._columns)
        ]

    @property
    def mapping(self) -> dict[str, str]:
        """{the file's column: Vera's field} as it was chosen."""
        return {name: self.cleaned_data[f"column-{number}"] for number, name in enumerate(self._columns)}
