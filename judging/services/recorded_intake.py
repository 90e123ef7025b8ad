"""Verdicts of a file matched with the candidates of a criteria set, and gathered by judge."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from judging.domain.figures import many
from judging.domain.recordings import MOST_JUDGES, EntryProblem, Said, names_in_words, read_entry
from judging.domain.verdicts import Outcome
from judging.services.recorded_files import VerdictRow
from labeling.formats.rows import FileProblem, Refused
from labeling.formats.strict_json import quote
from labeling.models import Candidate, CriteriaSet, Submission
from labeling.services.criteria import spec_of

_MOST_LINES = 20


@dataclass(slots=True)
class Gathered:
    """What one judge says of each candidate, by content hash: in a file the first usable word counts."""

    name: str
    said: dict[str, Said] = field(default_factory=dict)
    candidates: dict[str, int] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    contradicting: list[tuple[int, int]] = field(default_factory=list)  # line that counts, line that does not

    @property
    def notes(self) -> Iterator[str]:
        """A sentence where the judge contradicts itself."""
        if not self.contradicting:
            return
        lines = [f"{second} (against {first})" for first, second in self.contradicting[:_MOST_LINES]]
        more = "" if len(self.contradicting) <= _MOST_LINES else ", and more"
        yield (
            f"{self.name or 'The judge'} contradicts itself in {many(len(self.contradicting), 'row')} on a "
            f"candidate that the file has twice; what it said first counts. Lines: {', '.join(lines)}{more}."
        )

    def hear(self, content: str, candidate: int, said: Said, line: int) -> None:
        known = self.said.get(content)
        if known is None or (known.outcome is Outcome.SKIPPED and said.outcome is not Outcome.SKIPPED):
            self.said[content], self.candidates[content], self.lines[content] = said, candidate, line
        elif said.outcome not in (Outcome.SKIPPED, known.outcome):
            self.contradicting.append((self.lines[content], line))

    def count(self, outcome: Outcome) -> int:
        return sum(said.outcome is outcome for said in self.said.values())


class Intake:
    """Takes rows a few hundred at a time, for the one judge of that name, or for every one.

    Without a name the file may have one judge only. `refuse` is told of every row that cannot be taken.
    """

    def __init__(
        self, target: CriteriaSet, name: str, every: bool, refuse: Callable[[Refused], None]
    ) -> None:
        self._target = target
        self._wanted, self._every = name, every
        self._refuse = refuse
        self._criteria = spec_of(target.live_version) if target.live_version else None
        self._by_name: dict[str, Gathered] = {}
        self._names: dict[str, None] = {}

    def take(self, rows: Sequence[VerdictRow]) -> None:
        """Match the rows with their candidates and keep what the chosen judges say of them."""
        for row in rows:
            self._names |= dict.fromkeys(row.entries)
        if self._every and len(self._names) > MOST_JUDGES:
            raise FileProblem(
                f"More than {MOST_JUDGES} judges speak in this file. Choose one by its name, or split it."
            )
        spoken = [row for row in rows if any(map(self._is_chosen, row.entries))]
        of_content = self._by_content(row.content for row in spoken if row.content)
        of_id = self._by_id(row.external_id for row in spoken if not row.content)
        for row in spoken:
            if row.content:
                found = [(row.content, of_content[row.content])] if row.content in of_content else []
            else:
                found = of_id.get(row.external_id, [])
            if problem := self._mismatch(row, found):
                self._refuse(row.refuse(*problem))
            else:
                self._hear(row, *found[0])

    @property
    def misses(self) -> bool:
        """Whether nobody who is asked for spoke in the rows that were taken: refused ones may hold them."""
        return self._wanted not in self._names if self._wanted else not self._names

    def gathered(self) -> list[Gathered]:
        """By judge, in the file's order. Raises `FileProblem` where the file has not who is asked for."""
        names = list(self._names)
        if not names:
            raise FileProblem("No judge speaks in this file: its rows have neither “judges” nor a “verdict”.")
        if self._wanted and self._wanted not in self._names:
            raise FileProblem(f"There is no judge {quote(self._wanted)} in it, but {names_in_words(names)}.")
        if len(names) > 1 and not self._every and not self._wanted:
            raise FileProblem(
                f"Several judges speak in this file: {names_in_words(names)}. Choose one, or all."
            )
        return [each for each in self._by_name.values() if each.said]

    def _is_chosen(self, name: str) -> bool:
        if self._every:
            return True
        return name == (self._wanted or next(iter(self._names)))

    def _by_content(self, hashes: Iterable[str]) -> dict[str, int]:
        found = Candidate.objects.filter(criteria_set=self._target, content_hash__in=set(hashes)).order_by()
        return dict(found.values_list("content_hash", "pk"))

    def _by_id(self, ids: Iterable[str]) -> dict[str, list[tuple[str, int]]]:
        """Content hash and primary key of the candidates that came in under each id."""
        wanted = set(ids)
        if not wanted:
            return {}
        arrived = Submission.objects.filter(candidate__criteria_set=self._target, external_id__in=wanted)
        found: dict[str, list[tuple[str, int]]] = {}
        for name, content, pk in arrived.order_by().values_list(
            "external_id", "candidate__content_hash", "candidate"
        ):
            known = found.setdefault(name, [])
            if (content, pk) not in known:
                known.append((content, pk))
        return found

    def _mismatch(self, row: VerdictRow, found: Sequence[tuple[str, int]]) -> tuple[str, str] | None:
        """Field and sentence where the row's candidate is not known."""
        slug = self._target.slug
        if len(found) == 1:
            return None
        if found:
            return (
                "id",
                f"{len(found)} rows of {slug} came in as {quote(row.external_id)}. Give the texts instead.",
            )
        if row.content:
            return "candidate", f"{slug} has no row with these very texts. Import it first."
        return (
            "id",
            f"No row of {slug} came in as {quote(row.external_id)}. Import it first, or correct the id.",
        )

    def _hear(self, row: VerdictRow, content: str, candidate: int) -> None:
        read: dict[str, Said] = {}
        for name, entry in row.entries.items():
            if not self._is_chosen(name):
                continue
            try:
                read[name] = read_entry(entry.fields, self._criteria)
            except EntryProblem as problem:
                self._refuse(row.refuse(f"{entry.at}{problem.field}", problem.reason))
                return
        for name, said in read.items():
            self._by_name.setdefault(name, Gathered(name)).hear(content, candidate, said, row.line)
