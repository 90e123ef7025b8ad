"""Deciding row by row what a file adds to a criteria version; `Writer` writes it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from labeling.domain.content import content_hash, request_hash
from labeling.domain.sampling import split_for
from labeling.domain.truth import LabelFact, RulingFact, Truth, settle
from labeling.formats.rows import Row, RowProblem
from labeling.formats.strict_json import quote
from labeling.models import Candidate, Submission
from labeling.services.imports.annotators import Annotators
from labeling.services.imports.comparing import News, news_of
from labeling.services.imports.report import Report
from labeling.services.imports.standing import Standing, Subject, arrival_of, load_standings
from labeling.services.imports.target import Target
from labeling.services.imports.writer import Writer

MOST_PROBABILITIES = 100
HASH = "hash"  # the split that is decided by the request


@dataclass(slots=True)
class Seen:
    """What this file has said of one content so far: kept for every content, so kept small."""

    line: int
    labelers: frozenset[str] = frozenset()
    arrivals: tuple[int, ...] = ()
    ruled: bool = False
    truth: Truth | None = None
    truth_line: int = 0
    candidate: int = 0  # its primary key, once it is written


@dataclass
class Intake:
    """Takes rows into `target` a few hundred at a time; its memory is a few words for each content."""

    target: Target
    annotators: Annotators
    split: str
    report: Report
    writer: Writer
    seen: dict[bytes, Seen] = field(default_factory=dict)
    ids: dict[str, bytes] = field(default_factory=dict)
    contradictions: dict[bytes, list[int]] = field(default_factory=dict)
    wanting: set[int] = field(default_factory=set)  # candidates that a label would help
    probabilities: set[float] = field(default_factory=set)
    known: set[int] = field(default_factory=set)  # candidates that were there when a row about them came
    known_ids: dict[str, set[bytes]] = field(
        default_factory=dict
    )  # of these rows: what the set has by that id

    def take(self, rows: Sequence[Row]) -> None:
        """Decide on the rows; refuse or write each of them."""
        hashes = [content_hash(row.request, row.output, row.grounding, row.criteria_text) for row in rows]
        standings = load_standings(self.target.version, hashes, but=self.writer.batch)
        self.known.update(standing.candidate.pk for standing in standings.values())
        self._look_up_ids(rows)
        self.annotators.look_up(opinion for row in rows for opinion in row.opinions)
        taken: dict[str, Standing] = {}
        for content, row in zip(hashes, rows, strict=True):
            try:
                taken[content] = self._take(row, content, standings)
            except RowProblem as problem:
                self.report.refuse(row.refuse(problem.field, problem.reason))
        self.writer.write()
        self._note_written(taken)

    def _note_written(self, taken: dict[str, Standing]) -> None:
        for content, standing in taken.items():
            self.seen[bytes.fromhex(content)].candidate = standing.candidate.pk
            if standing.wants_labels:
                self.wanting.add(standing.candidate.pk)
            else:
                self.wanting.discard(standing.candidate.pk)

    def _take(self, row: Row, content: str, standings: dict[str, Standing]) -> Standing:
        digest = bytes.fromhex(content)
        self._check_id(row, digest)
        self.target.check_criteria(row)
        self.target.check_scores(row)
        standing = standings.get(content) or Standing(Subject(content, self._wanted_split(row)))
        self._check_probability(row, standing)
        earlier = self.seen.get(digest)
        seen = earlier or Seen(row.line)
        news = news_of(row, standing, annotators=self.annotators, spoken=seen.labelers, ruled=seen.ruled)

        # From here on nothing can refuse the row.
        self.report.counts["empty"] += not row.output.strip()
        self._tell_duplicates(row, digest, in_file=earlier is not None, in_set=content in standings)
        if content not in standings:
            self.writer.add_candidate(standing.candidate, row)
            standings[content] = standing
        self._add(row, standing, seen, news)
        self._remember(row, standing, seen, digest, news)
        return standing

    def _check_id(self, row: Row, digest: bytes) -> None:
        known = self.ids.get(row.external_id, digest) if row.external_id else digest
        if known != digest:
            line = self.seen[known].line
            raise RowProblem(
                "id", f"{quote(row.external_id)} is also the id of line {line}, another candidate."
            )

    def _look_up_ids(self, rows: Sequence[Row]) -> None:
        """What the set had by these ids before the file."""
        self.known_ids = {}
        # Not joined with candidates: a database that begins there reads the whole set for every few rows.
        arrived = Submission.objects.filter(external_id__in={row.external_id for row in rows} - {""})
        ids = list(
            arrived.exclude(batch=self.writer.batch).order_by().values_list("external_id", "candidate")
        )
        mine = Candidate.objects.filter(criteria_set_id=self.target.version.criteria_set_id)
        contents = dict(mine.filter(pk__in={pk for _, pk in ids}).values_list("pk", "content_hash"))
        for name, candidate in ids:
            if candidate in contents:
                self.known_ids.setdefault(name, set()).add(bytes.fromhex(contents[candidate]))

    def _tell_duplicates(self, row: Row, digest: bytes, *, in_file: bool, in_set: bool) -> None:
        """Count what is known by its content apart from what is known by its id only."""
        counts, by_id = self.report.counts, self.known_ids.get(row.external_id, ())
        if in_file:
            counts["repeated"] += 1
            counts["repeated_ids"] += row.external_id in self.ids
        elif in_set:
            counts["candidates_known"] += 1
            counts["ids_known"] += digest in by_id
        if by_id and digest not in by_id:
            self.report.id_elsewhere(row.line)

    def _check_probability(self, row: Row, standing: Standing) -> None:
        if None in (row.probability, standing.probability) or row.probability == standing.probability:
            self._check_probabilities(row)
            return
        raise RowProblem(
            "probability",
            f"This candidate was drawn with probability {standing.probability}, and the row says "
            f"{row.probability}. A candidate keeps the first: leave the row's out.",
        )

    def _check_probabilities(self, row: Row) -> None:
        if row.probability is None:
            return
        self.probabilities.add(row.probability)
        if len(self.probabilities) > MOST_PROBABILITIES:
            raise RowProblem(
                "probability",
                f"The file has more than {MOST_PROBABILITIES} different probabilities. Rows of one "
                "probability are compared with each other: give rows that are nearly as likely the same one.",
            )

    def _wanted_split(self, row: Row) -> str:
        return row.split or (split_for(request_hash(row.request)) if self.split == HASH else self.split)

    def _add(self, row: Row, standing: Standing, seen: Seen, news: News) -> None:
        self.report.counts.update(news.counts)
        self.report.counts["judge_verdicts_ignored"] += row.judge_verdicts
        self.report.counts["silent_annotators"] += row.silent_annotators
        self.report.counts["split_kept"] += self._wanted_split(row) != standing.candidate.split
        arrived = arrival_of(row)
        # The n-th arrival of a kind is known where n of that kind were known before the file.
        if row.arrives or not seen.arrivals:
            if seen.arrivals.count(arrived) >= standing.arrivals[arrived]:
                self.writer.add_submission(standing.candidate, row)
            seen.arrivals += (arrived,)
        for name, opinion in news.labels:
            self.writer.add_label(standing.candidate, name, opinion)
            standing.labels[name] = LabelFact(name, opinion.verdict, opinion.blind)
        if row.probability is not None and standing.probability is None:
            self.writer.add_draw(standing.candidate, row.probability)
            standing.probability = row.probability
        if news.decision is not None:
            self.writer.add_ruling(standing.candidate, news.decision)
            standing.ruling = RulingFact(news.decision.verdict, news.decision.blind)

    def _remember(self, row: Row, standing: Standing, seen: Seen, digest: bytes, news: News) -> None:
        self.seen[digest] = seen
        if row.external_id:
            self.ids[row.external_id] = digest
        seen.labelers = seen.labelers.union(news.labelers)
        seen.ruled = seen.ruled or row.decision is not None
        own = _own_truth(row, standing.candidate.split)
        if own in (None, Truth.UNRESOLVED):
            return
        if seen.truth is None:
            seen.truth, seen.truth_line = own, row.line
        elif seen.truth != own:
            self.contradictions.setdefault(digest, [seen.truth_line]).append(row.line)


def _own_truth(row: Row, split: str) -> Truth | None:
    """What the row by itself says of its candidate."""
    facts = [LabelFact(opinion.annotator, opinion.verdict, opinion.blind) for opinion in row.opinions]
    ruling = RulingFact(row.decision.verdict, row.decision.blind) if row.decision else None
    return settle(facts, ruling, split)
