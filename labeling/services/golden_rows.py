"""The rows of a criteria set as files have them: every candidate with what people said under one version.

A candidate that arrived several times has a row for each arrival; the first one carries the verdicts.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from operator import add
from typing import cast

from django.contrib.auth.models import User
from django.db.models.functions import Length

from labeling.domain.verdicts import HumanVerdict
from labeling.formats.rows import Decision, Opinion, Row, StatedCriterion
from labeling.models import Candidate, CriteriaVersion, DrawnRow, Label, Ruling, Submission
from labeling.services.criteria import spec_of
from labeling.services.label_parts import marks_of

_AT_ONCE = 500
_MOST_TEXT = 8 * 1024 * 1024  # characters
_SPEC_FIELDS = ("name", "description", "weight", "required", "scale_min", "scale_max", "minimum")


def golden_rows(version: CriteriaVersion) -> Iterator[Row]:
    """The rows, in the order in which the candidates came. Memory is bounded, however long their texts."""
    stated = _stated(version)
    names = _annotator_names(version)
    for ids in portions(version):
        candidates = Candidate.objects.filter(pk__in=ids).order_by("pk")
        yield from _rows(version, list(candidates), stated, names)


def settled_rows(version: CriteriaVersion, *, unnamed: bool = False) -> Iterator[Row]:
    """The golden set alone: each settled row once, with the verdict that people hold as its final one.

    `unnamed` makes it one label of nobody named instead, as the founding form has it.
    """
    stated = _stated(version)
    for ids in portions(version):
        rows = Candidate.objects.filter(pk__in=ids).golden(version).order_by("pk")
        truths = {row.pk: HumanVerdict(row.truth or "") for row in rows}
        for candidate, first, probability in _first_arrivals(list(rows)):
            truth = truths[candidate.pk]
            opinions = (Opinion(truth),) if unnamed else ()
            said = _row(candidate, first, version, stated, opinions, None if unnamed else Decision(truth))
            yield replace(said, probability=probability)


def _first_arrivals(
    candidates: list[Candidate],
) -> Iterator[tuple[Candidate, Submission, float | None]]:
    ids = [candidate.pk for candidate in candidates]
    arrivals = _arrivals(ids)
    drawn = DrawnRow.objects.unequal(ids)
    for candidate in candidates:
        first = (arrivals[candidate.pk] or [Submission(candidate=candidate)])[0]
        yield candidate, first, drawn.get(candidate.pk)


def _arrivals(candidates: list[int]) -> dict[int, list[Submission]]:
    """How each candidate came, but as a member of a reference set."""
    arrivals: dict[int, list[Submission]] = defaultdict(list)
    came = Submission.objects.exclude(source=Submission.Source.REFERENCE)
    for submission in came.filter(candidate__in=candidates).order_by("pk"):
        arrivals[submission.candidate_id].append(submission)
    return arrivals


def portions(version: CriteriaVersion) -> Iterator[list[int]]:
    """Candidates to hold in memory at once: some hundreds, fewer where their texts are long."""
    texts = (Length(name) for name in ("request", "output", "grounding", "criteria_text"))
    of_set = Candidate.objects.filter(criteria_set_id=version.criteria_set_id).for_people().order_by("pk")
    sized = of_set.annotate(size=reduce(add, texts)).values_list("pk", "size")
    after = 0
    while known := list(sized.filter(pk__gt=after)[:_AT_ONCE]):
        portion, held = [], 0
        for pk, size in known:
            portion.append(pk)
            held += size
            if held > _MOST_TEXT:
                break
        yield portion
        after = portion[-1]


def _stated(version: CriteriaVersion) -> tuple[StatedCriterion, ...]:
    return tuple(
        {name: getattr(criterion, name) for name in (*_SPEC_FIELDS, "strategy", "params")}
        for criterion in spec_of(version).criteria
    )


def _annotator_names(version: CriteriaVersion) -> dict[int, str | None]:
    """How each labeler is called in a file; None for labels of a file that named nobody.

    An imported `a1@set` is `a1` again, except where somebody of Vera is called `a1` and labels here, too.
    """
    suffix = f"@{version.criteria_set.slug}"
    labelers = dict(
        User.objects.filter(
            pk__in=Label.objects.current().filter(version=version).values("labeler")
        ).values_list("pk", "username")
    )
    taken = set(labelers.values())
    names: dict[int, str | None] = {}
    for pk, username in labelers.items():
        short = username.removesuffix(suffix)
        names[pk] = username if short in taken else short
        if username == f"file{suffix}" and short not in taken:
            names[pk] = None
    return names


def _rows(
    version: CriteriaVersion,
    candidates: list[Candidate],
    stated: tuple[StatedCriterion, ...],
    names: dict[int, str | None],
) -> Iterator[Row]:
    ids = [candidate.pk for candidate in candidates]
    arrivals = _arrivals(ids)
    opinions = _opinions(version, ids, names)
    rulings = {
        ruling.candidate_id: _decision(ruling)
        for ruling in Ruling.objects.current().filter(version=version, candidate__in=ids)
    }
    drawn = DrawnRow.objects.unequal(ids)
    for candidate in candidates:
        first, *others = arrivals[candidate.pk] or [Submission(candidate=candidate)]
        said = _row(
            candidate, first, version, stated, tuple(opinions[candidate.pk]), rulings.get(candidate.pk)
        )
        yield replace(said, probability=drawn.get(candidate.pk))
        for other in others:
            yield _row(candidate, other, version, stated, (), None)


def _opinions(
    version: CriteriaVersion, ids: list[int], names: dict[int, str | None]
) -> dict[int, list[Opinion]]:
    found: dict[int, list[Opinion]] = defaultdict(list)
    labels = list(Label.objects.current().filter(version=version, candidate__in=ids).order_by("pk"))
    marks = marks_of([label.pk for label in labels])
    for label in labels:
        found[label.candidate_id].append(
            Opinion(
                verdict=HumanVerdict(label.verdict),
                annotator=names[label.labeler_id],
                comment=label.comment,
                blind=label.blind,
                scores=marks[label.pk],
            )
        )
    return found


def _decision(ruling: Ruling) -> Decision:
    unresolved = ruling.verdict == Ruling.Decision.UNRESOLVED
    verdict = None if unresolved else HumanVerdict(ruling.verdict)
    return Decision(verdict=verdict, reason=ruling.reason, blind=ruling.blind)


def _row(
    candidate: Candidate,
    arrival: Submission,
    version: CriteriaVersion,
    stated: tuple[StatedCriterion, ...],
    opinions: tuple[Opinion, ...],
    decision: Decision | None,
) -> Row:
    return Row(
        line=0,
        output=candidate.output,
        request=candidate.request,
        grounding=candidate.grounding,
        criteria_text=candidate.criteria_text,
        criteria=stated,
        threshold=version.threshold,
        external_id=arrival.external_id,
        split=candidate.split,
        generator_model=arrival.generator_model,
        generator_family=arrival.generator_family,
        truncated=arrival.truncated,
        meta=cast(dict[str, object], arrival.meta),
        opinions=opinions,
        decision=decision,
    )
