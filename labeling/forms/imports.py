"""Bringing a file in and taking one out, by a lead."""

from typing import ClassVar

from django import forms

from labeling.domain.sampling import Split
from labeling.services.exports import WRITERS
from labeling.services.imports import FORMATS, HASH

LARGEST_FILE = 1024 * 1024 * 1024


class ImportForm(forms.Form):
    """A file and how to read it."""

    SPLITS: ClassVar = [
        (Split.CERTIFY, "certify: these rows may certify judges"),
        (Split.TUNE, "tune: these rows are for working on prompts"),
        (HASH, "by request: 30 % tune, answers to one request together"),
    ]
    file = forms.FileField(
        help_text="JSON Lines (one object on each line) or one JSON array, UTF-8. Forms: vera, jsonl.",
        error_messages={"empty": "The file is empty: there is nothing to import. Choose another one."},
    )
    format = forms.ChoiceField(
        choices=[(name, name) for name in FORMATS], help_text="auto looks at the first row."
    )
    split = forms.ChoiceField(
        choices=SPLITS, help_text="For rows that name no split; known candidates keep theirs."
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


class ExportForm(forms.Form):
    """The format of the file to download."""

    FORMATS: ClassVar = [
        ("jsonl", "JSON Lines: everything, can be imported again"),
        ("vera", "JSON Lines in the short vera form"),
        ("csv", "CSV for spreadsheets: one line for each verdict"),
    ]
    format = forms.ChoiceField(choices=[choice for choice in FORMATS if choice[0] in WRITERS])
