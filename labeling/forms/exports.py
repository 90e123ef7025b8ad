"""Taking a file out, by a lead."""

from typing import Any, ClassVar

from django import forms

from labeling.services.exports import EVERYTHING, GOLDEN, KINDS, LABELS, ROWS, WRITERS


class ExportForm(forms.Form):
    """What to download, and in which format."""

    KINDS: ClassVar = [
        (ROWS, "all rows with their labels"),
        (GOLDEN, "settled rows with their verdict"),
        (LABELS, "labels, one line each"),
        (EVERYTHING, "everything about each row"),
    ]
    FORMATS: ClassVar = [
        ("jsonl", "JSON Lines: exact, can be imported again"),
        ("vera", "JSON Lines in the short vera form"),
        ("csv", "CSV for spreadsheets: one line for each verdict"),
        ("tsv", "TSV: the same table with tabs"),
        ("label_studio", "Label Studio: tasks with annotations"),
        ("langfuse_scores", "Langfuse: scores with their traces"),
        ("langfuse_items", "Langfuse: dataset items"),
    ]
    HELP = (
        "All rows can be imported again. Labels come with who, when and how many seconds. Everything has "
        "corrected labels, skips, rulings, draws and who saw what, too."
    )
    what = forms.ChoiceField(choices=KINDS, initial=ROWS, required=False, label="What", help_text=HELP)
    format = forms.ChoiceField(choices=[choice for choice in FORMATS if choice[0] in WRITERS])

    def clean_what(self) -> str:
        return self.cleaned_data["what"] or ROWS

    def clean(self) -> dict[str, Any]:
        """Not everything fits every format."""
        what, format = self.cleaned_data.get("what"), self.cleaned_data.get("format")
        if what and format and format not in KINDS[what]:
            *others, last = KINDS[what]
            fitting = f"{', '.join(others)} or {last}" if others else last
            self.add_error("format", f"This can be written as {fitting} only. Choose that.")
        return self.cleaned_data
