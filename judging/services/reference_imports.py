"""Bringing pairs in as reference sets: the better output is good, the worse one deficient."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import batched, product
from typing import BinaryIO

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from judging.models import ReferenceCandidate, ReferenceSet
from judging.services.reference_report import ReferenceReport
from judging.services.reference_sets import LONGEST_NAME, unseen_problem
from labeling.access import AnyUser
from labeling.domain.content import content_hash, request_hash
from labeling.formats.pairwise import Pair, read_pairs
from labeling.formats.rows import FileProblem, Refused, Row, RowProblem
from labeling.formats.strict_json import quote
from labeling.models import Candidate, Submission
from labeling.services.audit import record
from labeling.services.imports import ImportProblem, shown_name
from labeling.services.imports.target import Target, find_target, make_target

_AT_ONCE = 200  # pairs decided on and written at once
# Of a criterion made of a comparison, where the file does not say: two scores would tie too often.
_COMPARED = {"scale_min": 1, "scale_max": 5, "required": False}


@dataclass(frozen=True, slots=True)
class _Decided:
    """A pair and what its candidates' contents are."""

    pair: Pair
    good: str
    deficient: str
    name: str


@dataclass
class _Intake:
    """What the pairs of one file add to a criteria set."""

    target: Target
    report: ReferenceReport
    decides: bool
    maker: User | None
    lines: dict[str, int] = field(default_factory=dict)  # names that this file has given, by their line

    def take(self, pairs: Sequence[_Decided]) -> None:
        """Write the new ones among a few pairs."""
        known, taken = self._known(pairs), self._taken(pairs)
        new = [each for each in pairs if self._is_new(each, known, taken)]
        self._write(new, self._candidates(new))

    def _known(self, pairs: Sequence[_Decided]) -> set[tuple[str, str]]:
        """Contents of a good and a deficient candidate that are in some reference set together."""
        contents = {content for each in pairs for content in (each.good, each.deficient)}
        members = ReferenceCandidate.objects.filter(
            reference_set__criteria_set=self.target.version.criteria_set_id,
            candidate__content_hash__in=contents,
        )
        marked: dict[tuple[int, bool], list[str]] = defaultdict(list)
        for of_set, is_good, content in members.values_list(
            "reference_set_id", "is_good", "candidate__content_hash"
        ):
            marked[of_set, is_good].append(content)
        sets = {of_set for of_set, _ in marked}
        return {pair for each in sets for pair in product(marked[each, True], marked[each, False])}

    def _taken(self, pairs: Sequence[_Decided]) -> set[str]:
        sets = ReferenceSet.objects.filter(criteria_set=self.target.version.criteria_set_id)
        return set(sets.filter(name__in=[each.name for each in pairs]).values_list("name", flat=True))

    def _is_new(self, each: _Decided, known: set[tuple[str, str]], taken: set[str]) -> bool:
        """Whether to write the pair; refused where it cannot be, counted where it is there already."""
        if (each.good, each.deficient) in known:
            self.report.counts["sets_known"] += 1
            return False
        try:
            self._check(each, known, taken)
        except RowProblem as problem:
            self.report.refuse(each.pair.refuse(problem.field, problem.reason))
            return False
        known.add((each.good, each.deficient))
        self.lines[each.name] = each.pair.line
        return True

    def _check(self, each: _Decided, known: set[tuple[str, str]], taken: set[str]) -> None:
        if problem := unseen_problem(each.name):
            raise RowProblem("id", problem)
        if (each.deficient, each.good) in known:
            raise RowProblem(
                "human", "Another pair has the same two outputs the other way round. Keep one of the two."
            )
        if each.name in self.lines:
            line = self.lines[each.name]
            raise RowProblem("id", f"{quote(each.name)} is also the id of line {line}, another pair.")
        if each.name in taken:
            raise RowProblem(
                "id", f"{quote(each.name)} is the name of another reference set. Give the row another id."
            )

    def _candidates(self, new: Sequence[_Decided]) -> dict[str, int]:
        """The ids of their contents; those that the set lacks are made, and wait for no label."""
        texts = {content: of for each in new for content, of in _texts(each)}
        criteria_set = self.target.version.criteria_set_id
        of_set = Candidate.objects.filter(criteria_set=criteria_set, content_hash__in=texts)
        ids = dict(of_set.values_list("content_hash", "pk"))
        made = Candidate.objects.bulk_create(
            _candidate(criteria_set, content, *of) for content, of in texts.items() if content not in ids
        )
        Submission.objects.bulk_create(
            Submission(candidate=each, source=Submission.Source.REFERENCE) for each in made
        )
        self.report.counts["candidates"] += len(made)
        self.report.counts["candidates_known"] += len(ids)
        return ids | {each.content_hash: each.pk for each in made}

    def _write(self, new: Sequence[_Decided], ids: dict[str, int]) -> None:
        sets = ReferenceSet.objects.bulk_create(
            ReferenceSet(
                criteria_set_id=self.target.version.criteria_set_id,
                name=each.name,
                source=self.report.file_name,
                decides=self.decides,
                created_by=self.maker,
            )
            for each in new
        )
        ReferenceCandidate.objects.bulk_create(
            ReferenceCandidate(reference_set=made, candidate_id=ids[content], is_good=is_good)
            for made, each in zip(sets, new, strict=True)
            for content, is_good in ((each.good, True), (each.deficient, False))
        )
        self.report.counts["sets"] += len(sets)


def import_references(
    *,
    stream: BinaryIO,
    file_name: str,
    slug: str,
    gold: str = "",
    decides: bool = False,
    create: bool = False,
    keep_good: bool = False,
    dry_run: bool = False,
    actor: AnyUser | None = None,
) -> ReferenceReport:
    """Bring the pairs of a seekable file into the criteria set `slug`, one reference set for each.

    `gold`: the annotator whose vote decides; else the file's final vote, else the strict majority. Ties and
    undecided pairs are left out and counted. `decides`: the sets count for certificates. A file with a
    refused row is not kept at all unless `keep_good`; `dry_run` reports and keeps nothing. `create` makes
    the set from the first row where there is none.
    Raises FileProblem or ImportProblem with a sentence; then nothing is kept.
    """
    report = ReferenceReport(shown_name(file_name), slug, dry_run=dry_run, keep_good=keep_good)
    maker = actor if isinstance(actor, User) else None
    try:
        with transaction.atomic():
            intake = _read_in(stream, report, _Order(gold, decides, create, maker))
            report.kept = report.acceptable and not dry_run
            if report.kept and intake is not None:
                _record(intake, actor)
            else:
                transaction.set_rollback(True)
    except IntegrityError as error:
        raise ImportProblem(
            "Somebody changed the same sets while they were imported. Nothing was kept: import them again."
        ) from error
    return report


@dataclass(frozen=True, slots=True)
class _Order:
    gold: str
    decides: bool
    create: bool
    maker: User | None


def _read_in(stream: BinaryIO, report: ReferenceReport, order: _Order) -> _Intake | None:
    target = find_target(report.criteria)
    if target is None and not order.create:
        raise ImportProblem(
            f"There is no criteria set {report.criteria!r}. Make it first, or let the import create it "
            "(--create)."
        )
    intake: _Intake | None = None
    for pairs in batched(_good_rows(read_pairs(stream), report), _AT_ONCE):
        if intake is None:
            target = target or _made_target(report, pairs[0], order.maker)
            intake = _intake(target, report, order, pairs[0])
        intake.take(list(_decided(pairs, report, order.gold)))
    report.refused.sort(key=lambda refused: (refused.line, refused.element or 0))
    if not report.counts["rows"]:
        raise FileProblem("The file has no rows: there is nothing to import.")
    if order.gold and report.counts["undecided"] == report.counts["rows"] - len(report.refused):
        report.notes.append(f"No pair has a vote of {quote(order.gold)}, so there was none to go by.")
    return intake


def _good_rows(rows: Iterable[Pair | Refused], report: ReferenceReport) -> Iterator[Pair]:
    for row in rows:
        report.counts["rows"] += 1
        if isinstance(row, Refused):
            report.refuse(row)
        else:
            yield row


def _decided(pairs: Iterable[Pair], report: ReferenceReport, gold: str) -> Iterator[_Decided]:
    """Those of the pairs that somebody decided, with the better candidate named."""
    for pair in pairs:
        winner = pair.winner(gold)
        if winner in ("a", "b"):
            good, deficient = (pair.a, pair.b) if winner == "a" else (pair.b, pair.a)
            yield _Decided(pair, _content(pair, good), _content(pair, deficient), _name(pair, report))
        else:
            report.counts["ties" if winner == "tie" else "undecided"] += 1


def _content(pair: Pair, output: str) -> str:
    return content_hash(pair.request, output, pair.grounding, pair.criteria_text)


def _texts(each: _Decided) -> Iterator[tuple[str, tuple[Pair, str]]]:
    for output in (each.pair.a, each.pair.b):
        yield _content(each.pair, output), (each.pair, output)


def _name(pair: Pair, report: ReferenceReport) -> str:
    place = f"line {pair.line}" + (f", element {pair.element}" if pair.element else "")
    return " ".join(pair.external_id.split()) or f"{report.file_name}, {place}"[-LONGEST_NAME:]


def _candidate(criteria_set: int, content: str, pair: Pair, output: str) -> Candidate:
    """For tuning: whatever becomes of it, it never certifies a judge."""
    return Candidate(
        criteria_set_id=criteria_set,
        request=pair.request,
        output=output,
        grounding=pair.grounding,
        criteria_text=pair.criteria_text,
        content_hash=content,
        request_hash=request_hash(pair.request),
        split=Candidate.Split.TUNE,
    )


def _made_target(report: ReferenceReport, pair: Pair, maker: User | None) -> Target:
    stated = tuple(_COMPARED | dict(each) for each in pair.criteria)
    row = Row(line=pair.line, output=pair.a, criteria_text=pair.criteria_text, criteria=stated)
    return make_target(report.criteria, row, maker)


def _intake(target: Target, report: ReferenceReport, order: _Order, first: Pair) -> _Intake:
    report.version = target.version.number
    if first.criteria:
        asked = "; ".join(each["description"] for each in first.criteria)
        report.notes.append(
            f"The file's pairs were compared by “{asked[:300]}”. A judge sees one output at a time: make "
            f"sure that {target.version} asks for the same thing of a single output."
        )
    return _Intake(target, report, order.decides, order.maker)


def _record(intake: _Intake, actor: AnyUser | None) -> None:
    counts = intake.report.counts
    record(
        actor=actor,
        action="reference_import",
        subject=intake.report.file_name,
        criteria_set=intake.target.version.criteria_set,
        rows=counts["rows"],
        refused=counts["refused"],
        sets=counts["sets"],
    )
