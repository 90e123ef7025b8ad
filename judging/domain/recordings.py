"""Verdicts that were given elsewhere: how an entry of a file is read, and what makes two recordings one."""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from judging.domain.aggregation import juror_verdict
from judging.domain.judges import InvalidJudge
from judging.domain.verdicts import Outcome, Score
from labeling.domain.content import canonical_json, text_problem
from labeling.domain.criteria import CriteriaSpec, CriterionSpec
from labeling.domain.verdicts import parse_verdict

LONGEST_SLUG = 80
MOST_JUDGES = 200  # of one file
_LONGEST_FAMILY = 80
_LONGEST_CRITERION = 80
_LARGEST_SCORE = 1_000_000_000


class EntryProblem(ValueError):
    """What a file says of a judge cannot be taken: the field at fault ("" for the entry) and a sentence."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(reason)
        self.field = field
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Said:
    """What one judge said of one candidate, as a file has it.

    `outcome`: pass, fail, or skipped where the judge gave no usable verdict. `score`: overall, 0–1, where the
    file has one. `scores`: by criterion, as they stand in the file, whether or not they fit a scale.
    """

    outcome: Outcome
    score: float | None = None
    scores: Mapping[str, float] = field(default_factory=dict)
    explanation: str = ""


def read_entry(entry: Mapping[str, Any], criteria: CriteriaSpec | None) -> Said:
    """An entry `{"verdict", "score"?, "scores"?, "reason"?}`. Raises `EntryProblem`.

    A verdict of null is no verdict. Where the entry does not speak of a verdict at all, it is computed from a
    score on every one of the `criteria`, as for a judge that is asked.
    """
    scores = _scores(entry.get("scores"))
    explanation = _text(entry.get("reason"), "reason")
    score = _share(entry.get("score"))
    if "verdict" in entry:
        outcome = _outcome(entry["verdict"])
        return Said(outcome, None if outcome is Outcome.SKIPPED else score, scores, explanation)
    made = None if criteria is None else whole_verdict(criteria, scores)
    if made is None:
        raise EntryProblem(
            "verdict",
            "There is no verdict and no score on every criterion. Write pass or fail, or null where the "
            "judge gave none.",
        )
    return Said(*made, scores, explanation)


def whole_verdict(criteria: CriteriaSpec, scores: Mapping[str, float]) -> tuple[Outcome, float] | None:
    """Outcome and overall score (0–1) by these scores; None unless each criterion has one on its scale."""
    fit = [
        Score(criterion.name, int(scores[criterion.name]), "")
        for criterion in criteria.criteria
        if criterion.name in scores and on_scale(criterion, scores[criterion.name])
    ]
    if len(fit) < len(criteria.criteria):
        return None
    verdict = juror_verdict(criteria, fit)
    assert verdict.overall is not None
    return verdict.outcome, float(verdict.overall)


def on_scale(criterion: CriterionSpec, score: float) -> bool:
    """Whether this is a whole number on the criterion's scale."""
    return score == int(score) and criterion.scale_min <= score <= criterion.scale_max


def fitting(criteria: CriteriaSpec, recorded: Iterable[Mapping[str, float]]) -> frozenset[str]:
    """The criteria on whose scale every recorded score of their name stands.

    One score off the scale shows that the others, too, mean something else than they seem to.
    """
    by_name = {criterion.name: criterion for criterion in criteria.criteria}
    off = {
        name
        for scores in recorded
        for name, score in scores.items()
        if name in by_name and not on_scale(by_name[name], score)
    }
    return frozenset(by_name.keys() - off)


def check_family(family: str) -> None:
    """Raise `InvalidJudge` where no model's maker is called so."""
    if len(family) > _LONGEST_FAMILY:
        raise InvalidJudge(f"“family” has {len(family)} characters; at most {_LONGEST_FAMILY} are allowed.")
    if not family.isprintable():
        raise InvalidJudge("“family” has characters that nobody can see; write its name without them.")


def slug_for(name: str) -> str:
    """A short name for addresses: latin letters, digits and hyphens; other names get one of their own.

    "gpt-3.5-turbo/no-cot+ref" becomes "gpt-3-5-turbo-no-cot-ref".
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:LONGEST_SLUG].strip("-")
    lost = any(char.isalnum() and not char.isascii() for char in unicodedata.normalize("NFKD", name))
    if slug and not lost:
        return slug
    short = hashlib.sha256(name.encode()).hexdigest()[:8]
    return f"{slug[: LONGEST_SLUG - 9] or 'judge'}-{short}"


def recording_identity(criteria_set: str, source: str, said: Mapping[str, Said]) -> str:
    """One hash (sha256, hex) over what a judge said of each candidate (by content hash) of a criteria set."""
    rows = {
        content: [str(each.outcome), each.score, dict(each.scores), each.explanation]
        for content, each in said.items()
    }
    return hashlib.sha256(canonical_json([criteria_set, source, rows]).encode()).hexdigest()


def names_in_words(names: Sequence[str], most: int = 12) -> str:
    """Judges' names as a sentence lists them."""
    shown = ", ".join(f"“{name}”" for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def _outcome(verdict: object) -> Outcome:
    if verdict is None:
        return Outcome.SKIPPED
    try:
        return Outcome(parse_verdict(verdict))
    except ValueError as error:
        raise EntryProblem("verdict", f"{error} Or null where the judge gave no usable verdict.") from None


def _text(value: object, at: str) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise EntryProblem(at, "This must be text.")
    if problem := text_problem(value):
        raise EntryProblem(at, problem)
    return value


def _share(value: object) -> float | None:
    if value is None:
        return None
    if not _is_number(value) or not 0 <= value <= 1:  # type: ignore[operator]  # a number, as just seen
        raise EntryProblem("score", "The overall score must be a number from 0 to 1, or null.")
    return float(value)  # type: ignore[arg-type]  # likewise


def _scores(value: object) -> dict[str, float]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise EntryProblem("scores", 'This must be an object such as {"criterion": 1}.')
    given = {name: score for name, score in value.items() if score is not None}
    for name, score in given.items():
        if text_problem(name) or len(name) > _LONGEST_CRITERION:
            raise EntryProblem("scores", "This names a criterion by a text that no criterion can have.")
        if not (_is_number(score) and abs(score) <= _LARGEST_SCORE):
            raise EntryProblem("scores", f"The score of {name!a} must be a number.")
    return given


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
