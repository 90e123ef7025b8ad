"""What is told beside a label: its marks, and the ids under which its row came."""

from collections import defaultdict
from collections.abc import Collection

from labeling.models import Mark, Submission


def marks_of(labels: Collection[int]) -> dict[int, dict[str, int]]:
    """Marks by criterion, in the criteria's order, of each of the labels; {} where it has none."""
    found: dict[int, dict[str, int]] = defaultdict(dict)
    marks = Mark.objects.filter(label__in=labels).order_by("criterion__position")
    for label, name, score in marks.values_list("label", "criterion__name", "score"):
        found[label][name] = score
    return found


def external_ids_of(candidates: Collection[int]) -> dict[int, list[str]]:
    """The ids under which each of the candidates came, the first one first; [] where it had none."""
    found: dict[int, list[str]] = defaultdict(list)
    came = Submission.objects.filter(candidate__in=candidates).exclude(external_id="").order_by("pk")
    for candidate, name in came.values_list("candidate", "external_id"):
        if name not in found[candidate]:
            found[candidate].append(name)
    return found
