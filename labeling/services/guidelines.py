"""Guidelines: what leads tell labelers beyond the criteria, with examples. Every state of them is kept."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction

from labeling.domain.content import request_hash, text_problem
from labeling.models import (
    Candidate,
    CriteriaSet,
    Exposure,
    GuidelineExample,
    Guidelines,
    Label,
    Ruling,
    Slot,
    Verdict,
)
from labeling.services.audit import record
from labeling.services.exposures import record_exposure

MOST_EXAMPLES = 20
LONGEST = 20_000  # characters, of the guidelines and of each text of an example


class GuidelinesRefused(ValueError):
    """The guidelines were not saved; the text says why and what to do."""


class GuidelinesChanged(GuidelinesRefused):
    """Somebody else saved other guidelines since these were opened."""


@dataclass(frozen=True, slots=True)
class Example:
    """An output with the right verdict and why. `candidate`: id of the row it was taken from, if any."""

    request: str
    output: str
    verdict: str
    why: str
    candidate: int | None = None


def current_guidelines(criteria_set: CriteriaSet) -> Guidelines | None:
    """The newest state with its examples, in two queries; None where nobody wrote any."""
    return criteria_set.guidelines.prefetch_related("examples").first()


@transaction.atomic
def save_guidelines(
    *,
    criteria_set: CriteriaSet,
    text: str,
    examples: Sequence[Example],
    actor: User,
    seen: int | None = None,
) -> Guidelines:
    """Add a state of the guidelines, which counts from now on; where nothing changed, none is added.

    `seen`: number of the state that the editor had open, 0 for none yet; None for any. Whoever labels here
    is noted as having been shown the verdicts of the rows among the examples. Raises `GuidelinesRefused`
    with a sentence, `GuidelinesChanged` where another state came meanwhile.
    """
    # The lock makes two leads take turns, so that each number is given once.
    CriteriaSet.objects.select_for_update(no_key=True).get(pk=criteria_set.pk)
    newest = current_guidelines(criteria_set)
    number = newest.number if newest else 0
    if newest and (newest.text, examples_of(newest)) == (text, list(examples)):
        return newest
    if seen is not None and seen != number:
        raise GuidelinesChanged(
            "Somebody else saved the guidelines while you wrote: yours are below, not saved yet, and what "
            "they changed stands beside. Take over what you want to keep, then save again."
        )
    _check(criteria_set, text, examples, kept=_rows_of(newest))
    guidelines = Guidelines.objects.create(
        criteria_set=criteria_set, number=number + 1, text=text, created_by=actor
    )
    GuidelineExample.objects.bulk_create(_rows(guidelines, examples))
    note_examples_shown(criteria_set)
    record(
        actor=actor,
        action="guidelines_saved",
        subject=str(guidelines),
        criteria_set=criteria_set,
        examples=len(examples),
    )
    return guidelines


def examples_of(guidelines: Guidelines) -> list[Example]:
    """The examples of a state as plain values, in their order."""
    return [
        Example(each.request, each.output, each.verdict, each.why, each.candidate_id)
        for each in guidelines.examples.all()
    ]


def note_examples_shown(criteria_set: CriteriaSet) -> None:
    """Note that every member is being shown the verdicts of the rows among the present examples.

    What they say of such a row from now on is not blind. Safe to call again; called when somebody joins.
    """
    live, ids = criteria_set.live_version, shown_rows(criteria_set)
    if live is None or not ids:
        return
    for user in User.objects.filter(memberships__criteria_set=criteria_set):
        record_exposure(user=user, version=live, candidate_ids=ids, what=Exposure.What.LABELS)


def shown_rows(criteria_set: CriteriaSet) -> list[int]:
    """Ids of the rows among the present examples: labelers know what is right there, so none is asked."""
    newest = criteria_set.guidelines.first()
    taken = GuidelineExample.objects.filter(guidelines=newest, candidate__isnull=False)
    return [pk for pk in taken.values_list("candidate", flat=True) if pk] if newest else []


def example_from(row: Candidate) -> Example:
    """A settled `tune` row as an example: the verdict that counts, and the ruling's or a label's reason.

    Raises `GuidelinesRefused` with a sentence for a row that may not be shown with its verdict.
    """
    version = row.criteria_set.live_version
    if problem := row_problem(row):
        raise GuidelinesRefused(problem)
    assert version is not None
    truth = Candidate.objects.with_truth(version).get(pk=row.pk).truth or ""
    about = {"candidate": row, "version": version, "verdict": truth}
    ruling = Ruling.objects.current().filter(**about).exclude(reason="").first()
    label = Label.objects.current().filter(**about).exclude(comment="").first()
    why = ruling.reason if ruling else label.comment if label else ""
    return Example(row.request, row.output, truth, why, row.pk)


def row_problem(row: Candidate) -> str:
    """Why this row may not be shown to labelers together with its verdict; "" where it may."""
    version = row.criteria_set.live_version
    if row.split == Candidate.Split.CERTIFY:
        return (
            f"Row {row.pk} certifies judges: as an example it would give its answer away to the people who "
            "are to decide it on their own. Take a row for tuning, or write an example yourself."
        )
    if version is None or not Candidate.objects.golden(version).filter(pk=row.pk).exists():
        return f"Row {row.pk} is not settled yet: an example needs a verdict that stands."
    if Slot.objects.wanted(version).filter(candidate=row).exists():
        return (
            f"Labels of row {row.pk} are still wanted: whoever read it as an example could not give one of "
            "their own. Wait until it has them all, or take another row."
        )
    if max(len(row.request), len(row.output)) > LONGEST:
        return (
            f"Row {row.pk} has more than {LONGEST:,} characters: write an example of the part that matters."
        )
    return ""


def _check(criteria_set: CriteriaSet, text: str, examples: Sequence[Example], kept: set[int]) -> None:
    """Raise `GuidelinesRefused`; rows in `kept` are shown already and are not looked at again."""
    if len(examples) > MOST_EXAMPLES:
        raise GuidelinesRefused(
            f"At most {MOST_EXAMPLES} examples are read: take {len(examples) - MOST_EXAMPLES} out."
        )
    _check_texts("The text", text)
    for place, each in enumerate(examples, start=1):
        where = f"Example {place}"
        _check_texts(where, each.request, each.output, each.why)
        if not each.output.strip() or not each.why.strip():
            raise GuidelinesRefused(f"{where} needs an output, and a sentence that says why.")
        if each.verdict not in Verdict.values:
            raise GuidelinesRefused(f"{where} needs a verdict: choose pass or fail.")
        if each.candidate not in kept and (problem := _example_problem(criteria_set, each)):
            raise GuidelinesRefused(f"{where}: {problem}")


def _check_texts(where: str, *texts: str) -> None:
    for text in texts:
        if problem := text_problem(text):
            raise GuidelinesRefused(f"{where}: {problem}")
        if len(text) > LONGEST:
            raise GuidelinesRefused(f"{where} has {len(text):,} characters; at most {LONGEST:,} are shown.")


def _example_problem(criteria_set: CriteriaSet, example: Example) -> str:
    rows = criteria_set.candidates.select_related("criteria_set__live_version")
    if example.candidate is not None:
        row = rows.filter(pk=example.candidate).first()
        return row_problem(row) if row else "it names a row that this criteria set does not have."
    # Typed by hand, it may still be what people are to decide on their own.
    same = rows.filter(request_hash=request_hash(example.request), output=example.output)
    row = same.filter(split=Candidate.Split.CERTIFY).first()
    return row_problem(row) if row else ""


def _rows_of(guidelines: Guidelines | None) -> set[int]:
    """Ids of the rows that a state shows already."""
    return {each.candidate for each in examples_of(guidelines) if each.candidate} if guidelines else set()


def _rows(guidelines: Guidelines, examples: Sequence[Example]) -> list[GuidelineExample]:
    return [
        GuidelineExample(
            guidelines=guidelines,
            position=position,
            request=each.request,
            output=each.output,
            verdict=each.verdict,
            why=each.why,
            candidate_id=each.candidate,
        )
        for position, each in enumerate(examples, start=1)
    ]
