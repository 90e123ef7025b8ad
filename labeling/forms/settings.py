"""The settings of a criteria set, as their page sends them."""

from collections.abc import Iterator
from typing import ClassVar

from django import forms

from labeling.models import CriteriaSet
from labeling.services.criteria_settings import RANGES

_GROUPS = {
    "Names": ["name", "description"],
    "Who labels what": ["labels_per_row", "double_share", "double_rows", "repeat_share", "shows_labels"],
    "Goals": ["daily_goal", "rows_goal"],
    "Judges": ["on_split", "on_skip", "public_badge"],
}
_LABELS = {
    "labels_per_row": "Labels per row",
    "double_share": "Share of rows that two people label",
    "double_rows": "Rows that two people label, at least",
    "repeat_share": "Share of rows that people are asked once more",
    "shows_labels": "Show what others said, after one’s own label",
    "daily_goal": "Goal for each labeler and day",
    "rows_goal": "Goal for the set",
    "on_split": "When a panel is split",
    "on_skip": "When a judge is skipped",
    "public_badge": "The badge is public",
}
_HELP = {
    "labels_per_row": "By how many people each row is to be labelled; the queue follows.",
    "double_share": (
        "From 0 to 1, where one label per row is wanted: without second labels nobody knows how far people "
        "agree. 0.2 costs one label more for every five rows; 0 has no row labelled twice. Each row’s own "
        "text decides. Rows that an import has settled are not asked about again for this."
    ),
    "double_rows": (
        "However small that share, so many rows of the queue get a second label, or all where there are "
        "fewer. Agreement on fewer than 30 rows says little."
    ),
    "repeat_share": (
        "From 0 to 1. So much of what somebody labels comes back to them on another day, like any other "
        "row, to see how far they agree with themselves. The second answer changes no verdict; 0 asks nobody."
    ),
    "shows_labels": (
        "Whoever has decided sees what others said of the row. Who has seen it is noted, and what they say "
        "of this row later no longer counts as blind."
    ),
    "daily_goal": "Rows; the labeling page shows how far it is to go. 0 shows none.",
    "rows_goal": "Rows on which people have settled. 300 make a narrow interval; 0 shows no goal.",
    "on_split": "What becomes of an output on which jurors disagree.",
    "on_skip": "“Block” closes the gate to an output that no judge could score.",
    "public_badge": "Whoever knows the address may see certified or uncertified, kappa and n.",
}


class SettingsForm(forms.ModelForm[CriteriaSet]):
    """Settings that hold for every version of a set."""

    class Meta:
        model = CriteriaSet
        fields: ClassVar = [name for names in _GROUPS.values() for name in names]
        widgets: ClassVar = {"description": forms.Textarea(attrs={"rows": 2})}
        labels: ClassVar = _LABELS
        help_texts: ClassVar = _HELP
        error_messages: ClassVar = {
            name: {"min_value": words, "max_value": words, "invalid": words}
            for name, (_, _, words) in RANGES.items()
        }

    def groups(self) -> Iterator[tuple[str, list[forms.BoundField]]]:
        """The fields under their headings."""
        for heading, names in _GROUPS.items():
            yield heading, [self[name] for name in names]
