"""What a run will take: rows, calls, tokens and dollars, before anything starts."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Count, Sum
from django.db.models.functions import Length

from judging.domain.early_stop import asked_in_turn
from judging.domain.prompt import NEWEST, TEMPLATES, build_messages
from judging.domain.verdicts import Outcome
from judging.models import JudgeVersion, Run
from judging.services.costs import lately_cost
from judging.services.examples import without_examples
from judging.services.known_prices import known_price
from judging.services.plans import examples_for, price_of
from judging.services.runs import Scope, bound, candidates_of, checked_jurors, planned, sample
from labeling.models import CriteriaVersion
from labeling.services.criteria import spec_of

# A token is some four characters; and so many tokens are written about one scored criterion.
_CHARACTERS_PER_TOKEN, _REPLY_TOKENS = 4, 60
_BOUNDARY = "0" * 32  # as long as a real one


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run will take if nothing is resent: at most, and at least where it may ask fewer questions.

    At least: as many jurors as make a majority answer alike, and no answer of the last day can be taken over.
    What Layer 1 will spare nobody knows before. `rows` are each asked about `repeats` times. `cost` in US
    dollars, by a juror's own price, else by the one that the model library ships, else by what its last
    answers cost; None where nothing of that is known.
    """

    rows: int
    repeats: int
    calls: int
    fewest_calls: int
    tokens_in: int
    tokens_out: int
    fewest_tokens_in: int
    fewest_tokens_out: int
    cost: Decimal | None
    least_cost: Decimal | None
    reuses: bool  # answers of the last day cost nothing
    spares_killed: bool  # nor do rows that Layer 1 kills


def estimate(
    *,
    judge_version: JudgeVersion,
    criteria_version: CriteriaVersion,
    kind: str = Run.Kind.CALIBRATION,
    scope: Scope = "certify",
    include_unlabelled: bool = False,
    asks_all: bool | None = None,
    repeats: int = 1,
    most_rows: int | None = None,
) -> Estimate:
    """The expected number of rows, calls, tokens and dollars; the arguments are those of `start_run`.

    Raises `CannotRun` where it could not be started.
    """
    jurors = checked_jurors(judge_version, criteria_version)
    run = planned(judge_version, criteria_version, kind, asks_all, repeats)
    wanted = candidates_of(criteria_version, scope, include_unlabelled)
    candidates = sample(without_examples(wanted, judge_version, criteria_version), bound(kind, most_rows))
    texts = ("request", "output", "grounding", "criteria_text")
    found = candidates.aggregate(n=Count("pk"), **{f"n_{text}": Sum(Length(text)) for text in texts})
    jurors = [juror for juror in jurors if juror.kind != JudgeVersion.Kind.RECORDED]
    times, characters = repeats * found["n"], repeats * sum(found[f"n_{text}"] or 0 for text in texts)
    asked = [_asked_of(juror, criteria_version, times, characters) for juror in jurors]
    answered = times * _REPLY_TOKENS * len(spec_of(criteria_version).judged)
    costs = [_cost(juror, read, answered, times) for juror, read in zip(jurors, asked, strict=True)]
    needed = asked_in_turn([Outcome.PASS] * len(jurors)) if run.stops_early and jurors else len(jurors)
    return Estimate(
        rows=found["n"],
        repeats=repeats,
        calls=times * len(jurors),
        fewest_calls=times * needed,
        tokens_in=sum(asked),
        tokens_out=answered * len(jurors),
        fewest_tokens_in=sum(asked[:needed]),
        fewest_tokens_out=answered * needed,
        cost=_sum(costs),
        least_cost=_sum(costs[:needed]),
        reuses=run.reuses,
        spares_killed=kind in (Run.Kind.SCORING, Run.Kind.CONSISTENCY),
    )


def _asked_of(juror: JudgeVersion, version: CriteriaVersion, rows: int, characters: int) -> int:
    """Tokens that a juror reads: what it is told with every row, its examples included, and the rows."""
    template = juror.template if juror.template in TEMPLATES else NEWEST
    shown = examples_for(juror, version.criteria_set.slug)
    told = build_messages(template, spec_of(version), "", "", "", "", _BOUNDARY, shown)
    with_each = sum(len(message["content"]) for message in told)
    return (rows * with_each + characters) // _CHARACTERS_PER_TOKEN


def _cost(juror: JudgeVersion, read: int, written: int, questions: int) -> Decimal | None:
    """US dollars for so many tokens in and out, of so many questions to one juror."""
    if price := price_of(juror) or known_price(juror.model):
        return (price[0] * read + price[1] * written) / 1_000_000
    each = lately_cost(juror)
    return None if each is None else questions * each


def _sum(costs: Sequence[Decimal | None]) -> Decimal | None:
    known = [cost for cost in costs if cost is not None]
    return sum(known, Decimal(0)) if len(known) == len(costs) else None
