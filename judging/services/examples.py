"""Rows as examples in a judge's prompt: which may be, as people settled them, and kept out of its runs."""

import secrets
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import F, Model, Prefetch, QuerySet
from django.db.models.functions import Substr

from judging.domain.examples import Example, Examples, InvalidExamples, Offered, read_stored, take
from judging.domain.judges import ExampleChoice, InvalidJudge
from judging.models import JudgeVersion
from labeling.models import Candidate, CriteriaSet, CriteriaVersion, Label, Mark, Ruling

LISTED = 50  # of the newest rows that may be examples
_EXCERPT = 120  # characters


@dataclass(frozen=True, slots=True)
class PossibleExample:
    """A row to choose, by what people said and the beginning of its output."""

    pk: int
    truth: str
    excerpt: str

    def __str__(self) -> str:
        return f"Row {self.pk}, people say {self.truth}: {self.excerpt}"


def possible_examples(
    version: CriteriaVersion, also: Collection[int] = (), find: int | None = None
) -> list[PossibleExample]:
    """The settled tune rows to choose from: those in `also`, then the newest; or only the row `find`."""
    rows = Candidate.objects.filter(criteria_set=version.criteria_set_id, split=Candidate.Split.TUNE)
    golden = rows.golden(version).annotate(settled=F("truth"), beginning=Substr("output", 1, _EXCERPT))
    named = golden.filter(pk__in=also).order_by("pk")
    others = golden.filter(pk=find) if find is not None else golden
    newest = others.exclude(pk__in=also).order_by("-pk")[:LISTED]
    return [
        PossibleExample(pk, settled, _excerpt(beginning))
        for found in (named, newest)
        for pk, settled, beginning in found.values_list("pk", "settled", "beginning")
    ]


def _excerpt(beginning: str) -> str:
    return " ".join(beginning.split()) + ("…" if len(beginning) == _EXCERPT else "")


def taken(choice: ExampleChoice) -> Examples:
    """The chosen rows as they stand now, with a boundary of their own. Raises `InvalidJudge`."""
    criteria_set = CriteriaSet.objects.select_related("live_version").filter(slug=choice.criteria_set).first()
    if criteria_set is None or criteria_set.live_version is None:
        raise InvalidJudge(f"The examples' criteria set “{choice.criteria_set}” does not exist.")
    version = criteria_set.live_version
    rows = _offered(version, choice.rows)
    try:
        return take(criteria_set.slug, version.number, rows, secrets.token_hex(16))
    except InvalidExamples as problem:
        raise InvalidJudge(str(problem)) from None


def named(examples: Examples | None) -> ExampleChoice | None:
    """The choice that these examples came of."""
    return ExampleChoice(examples.criteria_set, examples.hashes) if examples else None


def _offered(version: CriteriaVersion, hashes: Sequence[str]) -> list[Offered]:
    """The rows of these contents, in this order. Raises `InvalidJudge` for one that is not there."""
    found = _rows(version, hashes)
    for content in hashes:
        if content not in found:
            raise InvalidJudge(
                f"The example {content[:12]}… is no row of “{version.criteria_set.slug}”. Import it there "
                "first."
            )
    truths = dict(
        Candidate.objects.filter(pk__in=[row.pk for row in found.values()])
        .golden(version)
        .annotate(settled=F("truth"))
        .values_list("pk", "settled")
    )
    return [_as_offered(found[content], truths.get(found[content].pk)) for content in hashes]


def _rows(version: CriteriaVersion, hashes: Sequence[str]) -> dict[str, Candidate]:
    """The set's rows by content hash, with all that people said of them under this version."""
    marks = Prefetch("marks", Mark.objects.select_related("criterion"))
    labels = (
        Label.objects.current().filter(version=version, blind=True).prefetch_related(marks).order_by("pk")
    )
    rulings = Ruling.objects.current().filter(version=version)
    rows = Candidate.objects.filter(criteria_set=version.criteria_set_id, content_hash__in=hashes)
    read = rows.prefetch_related(
        Prefetch("labels", labels, to_attr="heard"),
        Prefetch("rulings", rulings, to_attr="ruled"),
        "submissions",
    )
    return {row.content_hash: row for row in read}


def _as_offered(row: Candidate, truth: str | None) -> Offered:
    arrivals = list(row.submissions.all())
    agreeing = [label for label in _attribute(row, "heard") if label.verdict == truth]
    reasons = [ruling.reason for ruling in _attribute(row, "ruled")] + [label.comment for label in agreeing]
    example = Example(
        content_hash=row.content_hash,
        request=row.request,
        candidate=row.output,
        grounding=row.grounding,
        criteria_text=row.criteria_text,
        verdict=truth or "",
        comment=next((reason.strip() for reason in reasons if reason.strip()), ""),
        marks=_agreed_marks(agreeing),
    )
    truncated = bool(arrivals) and all(arrival.truncated for arrival in arrivals)
    return Offered(f"row {row.pk}", row.split, truth, truncated, example)


def _attribute(row: Model, name: str) -> list[Any]:
    """What a prefetch put there."""
    found: list[Any] = getattr(row, name)
    return found


def _agreed_marks(labels: Iterable[Label]) -> dict[str, int]:
    """A score by criterion where everybody who gave one gave the same; no other is anybody's."""
    given: dict[str, set[int]] = {}
    for label in labels:
        for mark in label.marks.all():
            given.setdefault(mark.criterion.name, set()).add(mark.score)
    return {name: next(iter(scores)) for name, scores in sorted(given.items()) if len(scores) == 1}


def own_examples(judge_version: JudgeVersion, criteria_set: CriteriaSet) -> set[str]:
    """Content hashes of the rows of this set whose verdict the judge, or a juror of it, has been told."""
    every = [read_stored(juror.examples) for juror in judge_version.jurors()]
    return {
        content
        for examples in every
        if examples is not None and examples.criteria_set == criteria_set.slug
        for content in examples.hashes
    }


def without_examples(
    candidates: QuerySet[Candidate], judge_version: JudgeVersion, criteria_version: CriteriaVersion
) -> QuerySet[Candidate]:
    """The rows without the judge's own examples: their verdicts were told to it, so they measure nothing."""
    own = own_examples(judge_version, criteria_version.criteria_set)
    return candidates.exclude(content_hash__in=own) if own else candidates


def example_notes(judge_version: JudgeVersion, criteria_version: CriteriaVersion) -> list[str]:
    """What to know of the judge's examples before it is asked under these criteria."""
    notes = []
    slug = criteria_version.criteria_set.slug
    if own := own_examples(judge_version, criteria_version.criteria_set):
        rows = f"{len(own)} tune rows are examples" if len(own) > 1 else "1 tune row is an example"
        notes.append(f"{rows} in {judge_version}'s prompt; the judge is not asked about its own examples.")
    for juror in judge_version.jurors():
        examples = read_stored(juror.examples)
        if examples is not None and examples.criteria_set != slug:
            notes.append(f"{juror} is asked without its examples here: they are of another criteria set.")
    return notes
