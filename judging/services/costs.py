"""What replies cost: of a run by its counters, which cost a page nothing, else summed up."""

from collections.abc import Sequence
from decimal import Decimal

from django.db.models import Avg, Count, Q, Sum

from judging.domain.costs import Spent
from judging.models import JudgeVersion, Run, Verdict

_LATELY = 200  # answers

# A reply came, whether or not its price is known.
REPLIED = Q(prompt_tokens__isnull=False) | ~Q(answered_model="")


def counted_spent(run: Run) -> Spent | None:
    """What was counted as the answers came; None of a run from before that was done."""
    if not (run.priced_replies or run.unpriced_replies):
        return None
    return Spent(run.cost_made, run.priced_replies, run.unpriced_replies)


def spent_in(run: Run) -> Spent:
    """The same, summed over the run's verdicts where it was not counted."""
    return counted_spent(run) or _summed(run)


def _summed(run: Run) -> Spent:
    found = Verdict.objects.filter(run=run, kind=Verdict.Kind.JUROR, reused_from=None).aggregate(
        dollars=Sum("cost"), priced=Count("cost"), unpriced=Count("pk", filter=REPLIED & Q(cost=None))
    )
    return Spent(found["dollars"] or Decimal(0), found["priced"], found["unpriced"])


def lately_cost(juror: JudgeVersion) -> Decimal | None:
    """What a question to a juror cost on average in its last answers, about whatever; US dollars."""
    answered = Verdict.objects.filter(
        judge_version=juror, kind=Verdict.Kind.JUROR, reused_from=None, calls__gt=0
    )
    last = answered.exclude(cost=None).order_by("-pk").values("cost")[:_LATELY]
    mean: Decimal | None = last.aggregate(mean=Avg("cost"))["mean"]
    return mean


def costs_by_juror(run: Run, jurors: Sequence[JudgeVersion]) -> list[Decimal | None]:
    """What a question to each juror cost on average in the run, in US dollars; None where nobody knows."""
    asked = Verdict.objects.filter(run=run, kind=Verdict.Kind.JUROR, repeat=0, reused_from=None)
    found = asked.order_by().values_list("judge_version").annotate(mean=Avg("cost"))
    means: dict[int, Decimal | None] = dict(found.values_list("judge_version", "mean"))
    return [means.get(juror.pk) for juror in jurors]
