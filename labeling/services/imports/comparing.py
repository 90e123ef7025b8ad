"""What a row says that is new against what is known of its candidate; a contradiction refuses the row."""

from collections import Counter
from collections.abc import Container
from dataclasses import dataclass, field

from labeling.formats.rows import Decision, Opinion, Row, RowProblem
from labeling.formats.strict_json import quote
from labeling.models import Ruling
from labeling.services.imports.annotators import Annotators
from labeling.services.imports.standing import Standing


@dataclass(slots=True)
class News:
    """The new part of a row: labels by user name, a decision; and counts of what is not new."""

    labelers: list[str] = field(default_factory=list)  # of all opinions, new or not
    labels: list[tuple[str, Opinion]] = field(default_factory=list)
    decision: Decision | None = None
    counts: Counter[str] = field(default_factory=Counter)


def news_of(
    row: Row, standing: Standing, *, annotators: Annotators, spoken: Container[str], ruled: bool
) -> News:
    """Compare the row with what stands.

    `spoken` are those whose opinion of this content the file gave in an earlier row, `ruled` whether it gave
    a decision: there the first word counts. Raises RowProblem where the row contradicts what was known
    before the file: an import changes no label and no ruling.
    """
    news = News()
    for opinion in row.opinions:
        name = annotators.username(opinion)
        news.labelers.append(name)
        outcome = _compare_opinion(opinion, name, standing, name in spoken)
        news.counts[outcome] += 1
        if outcome == "labels":
            if any(name == other for other, _ in news.labels):
                raise RowProblem("human", f"Two annotators of this row are {quote(name)} here; rename one.")
            news.labels.append((name, opinion))
    if row.decision is not None and not ruled:
        news.decision = _new_decision(row.decision, standing)
        news.counts["rulings" if news.decision else "rulings_known"] += 1
    return news


def _compare_opinion(opinion: Opinion, name: str, standing: Standing, spoken: bool) -> str:
    # Somebody of that name may have labelled it here: what an export of this very set says of a real user.
    known = [standing.labels[who] for who in (name, opinion.annotator) if who in standing.labels]
    corrected = (name, opinion.verdict) in standing.past_labels
    if not known:
        return "labels_known" if corrected else "labels"
    if any(label.verdict == opinion.verdict for label in known):
        return "labels_known"
    if spoken:
        return "labels_contradicting"
    if corrected:
        return "labels_known"
    raise RowProblem(
        "human",
        f"{quote(known[0].labeler)} has said “{known[0].verdict}” of this candidate before, and the row says "
        f"“{opinion.verdict}”. A file changes no label: correct it on the labeling page.",
    )


def _new_decision(decision: Decision, standing: Standing) -> Decision | None:
    verdict = decision.verdict or Ruling.Decision.UNRESOLVED
    if standing.ruling is None:
        return decision
    if standing.ruling.verdict == decision.verdict or verdict in standing.past_rulings:
        return None
    raise RowProblem(
        "human",
        f"A ruling on this candidate says “{standing.ruling.verdict or 'unresolved'}”, and the row says "
        f"“{verdict}”. A file changes no ruling: decide on the page of rulings.",
    )
