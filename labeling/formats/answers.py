"""Named answers of one person, as tools with several controls or scores have them.

One name is the verdict, for the whole file: chosen by the mapping, called “verdict”, or the only one that
answers in words. Numbers are marks on the criterion of that name, longer texts are comments.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from labeling.domain.verdicts import HumanVerdict
from labeling.formats import fields as read
from labeling.formats.field_mapping import IGNORE, KEEP, MARK
from labeling.formats.mapped import common_verdict, whole_number
from labeling.formats.people import FINAL, UNRESOLVED
from labeling.formats.rows import Decision, FileProblem, Opinion, RowProblem
from labeling.formats.strict_json import quote

type Kind = Literal["word", "number", "text", "other"]
VERDICT, COMMENT = "verdict", "comment"


@dataclass(frozen=True, slots=True)
class Answer:
    """What somebody answered under one name."""

    name: str
    kind: Kind
    value: Any


@dataclass(slots=True)
class People:
    """What people said of one row, as it is read; `others` are answers that have no place in a label."""

    opinions: dict[str | None, Opinion] = field(default_factory=dict)
    decision: Decision | None = None
    silent: int = 0
    others: list[dict[str, Any]] = field(default_factory=list)

    def add(
        self,
        answers: Iterable[Answer],
        roles: "Roles",
        *,
        annotator: str | None,
        at: str,
        blind: bool,
        final: bool,
    ) -> None:
        """One person's answers; `final` makes them the row's own verdict. Raises RowProblem."""
        person = _sort(answers, roles, at)
        self.others += [{"annotator": annotator, **other} for other in person.others]
        if person.verdict is None:
            self.silent += 1
            self._keep(person, annotator)
        elif final or (annotator or "").lower() in FINAL:
            self._decide(person, at, blind)
        else:
            self._opine(person, annotator, at, blind)

    def _keep(self, person: "_Person", annotator: str | None) -> None:
        """Marks and comments without a verdict make no label; they stay beside the row."""
        for name, value in (*person.scores.items(), (COMMENT, person.comment)):
            if value != "":
                self.others.append({"annotator": annotator, "name": name, "value": value})

    def _decide(self, person: "_Person", at: str, blind: bool) -> None:
        if self.decision is not None:
            raise RowProblem(at, "The row has two final verdicts (consensus, gold, ground truth); keep one.")
        unresolved = person.verdict == UNRESOLVED
        decided = None if unresolved else common_verdict(person.verdict, at)
        self.decision = Decision(decided, person.comment, blind)

    def _opine(self, person: "_Person", annotator: str | None, at: str, blind: bool) -> None:
        if annotator in self.opinions:
            raise RowProblem(
                at, f"The annotator {quote(annotator or 'of no name')} appears twice in this row; keep one."
            )
        verdict: HumanVerdict = common_verdict(person.verdict, at)
        self.opinions[annotator] = Opinion(verdict, annotator, person.comment, blind, person.scores)

    def as_fields(self, meta: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of a row; answers of no other place go to its `meta`."""
        beside = {"meta": {**meta, "answers": self.others}} if self.others else {}
        return beside | {
            "opinions": tuple(self.opinions.values()),
            "decision": self.decision,
            "silent_annotators": self.silent,
        }


@dataclass(frozen=True, slots=True)
class Roles:
    """What the names of a file's answers mean. `mapping`: field by name, without the format's prefix."""

    verdict: str
    mapping: Mapping[str, str]

    def of(self, answer: Answer) -> str:
        """The field that an answer is; KEEP where it is none."""
        if answer.name in self.mapping:
            return self.mapping[answer.name]
        if answer.name == self.verdict and answer.kind != "text":
            return "human"
        return {"number": MARK + answer.name, "text": "note"}.get(answer.kind, KEEP)


def roles_of(words: Iterable[str], others: Iterable[str], mapping: Mapping[str, str], prefix: str) -> Roles:
    """The roles of a file's names. `words` answer in words, `others` do not; `prefix` begins a mapped column.

    Raises FileProblem where people answered and it is not certain which name is the verdict.
    """
    own = {name.removeprefix(prefix): field for name, field in mapping.items() if name.startswith(prefix)}
    chosen = next((name for name, field in own.items() if field == "human"), "")
    possible = sorted(name for name in words if name not in own)
    if chosen:
        return Roles(chosen, own)
    if VERDICT in possible:
        return Roles(VERDICT, own)
    if len(possible) == 1:
        return Roles(possible[0], own)
    names = possible or sorted(set(others) - own.keys())
    if names:
        listed = ", ".join(quote(name) for name in names[:12])
        raise FileProblem(
            f"Vera cannot tell which answer is the verdict, pass or fail: {listed}. Say which one it is: "
            f"map it to the field human, as in --map human={prefix}{names[0]}."
        )
    return Roles("", own)


def likely(answers: Iterable[Answer], prefix: str) -> dict[str, str]:
    """By column, the field that each answer of a few rows is where no mapping says otherwise."""
    kinds = {answer.name: answer.kind for answer in answers}
    words = [name for name, kind in kinds.items() if kind == "word"]
    verdict = VERDICT if VERDICT in words else words[0] if len(words) == 1 else ""
    comment = next((name for name, kind in kinds.items() if kind == "text"), "")
    fields: dict[str, str] = {}
    for name, kind in kinds.items():
        roles = {verdict: "human", comment: "note"}
        fields[prefix + name] = MARK + name if kind == "number" else roles.get(name, KEEP)
    return fields


@dataclass(slots=True)
class _Person:
    verdict: Any = None
    scores: dict[str, int] = field(default_factory=dict)
    comment: str = ""
    others: list[dict[str, Any]] = field(default_factory=list)


def _sort(answers: Iterable[Answer], roles: Roles, at: str) -> _Person:
    person = _Person()
    for answer in answers:
        role = roles.of(answer)
        where = f"{at}.{answer.name}"
        read.check_storable(answer.name, where)
        if role == "human":
            if person.verdict is not None:
                raise RowProblem(where, "This person gave two verdicts on the row; keep one.")
            person.verdict = answer.value
        elif role == "note":
            text = read.text({"note": answer.value}, "note", at=where)
            person.comment = f"{person.comment}\n{text}" if person.comment else text
        elif role.startswith(MARK):
            person.scores[role.removeprefix(MARK)] = whole_number(answer.value, where)
        elif role != IGNORE:
            read.check_json(answer.value, where)
            person.others.append({"name": answer.name, "value": answer.value})
    return person
