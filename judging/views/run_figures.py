"""A run in words: where it stands, what it has cost, why rows were skipped."""

from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

from judging.domain.reasons import PAUSE_SENTENCES, SKIP_SENTENCES, PauseReason, SkipReason
from judging.models import Run
from judging.services.estimates import Estimate
from judging.services.progress import Progress


@dataclass(frozen=True, slots=True)
class SkipLine:
    """One reason for skips: how many rows, how many of a panel's jurors' answers, and what it means."""

    code: str
    sentence: str
    rows: int
    answers: int
    width: float  # of its bar, in per cent of the most frequent reason's


def skip_lines(figures: Progress) -> list[SkipLine]:
    """Every reason there is, the most frequent first."""
    counts = {
        code: (figures.skipped.get(code, 0), figures.juror_skips.get(code, 0))
        for code in {**figures.skipped, **figures.juror_skips}
    }
    most = max((sum(count) for count in counts.values()), default=0)
    lines = [
        SkipLine(
            code, SKIP_SENTENCES[SkipReason(code)], rows, answers, round(100 * (rows + answers) / most, 2)
        )
        for code, (rows, answers) in counts.items()
    ]
    return sorted(lines, key=lambda line: -(line.rows + line.answers))


def pause_sentence(run: Run) -> str:
    """Why the run is paused and what to do; empty when it is not."""
    return PAUSE_SENTENCES[PauseReason(run.pause_reason)] if run.pause_reason else ""


def cost_words(figures: Progress) -> str:
    """The cost so far. What nobody knows is said, never shown as nothing."""
    if not figures.calls:
        return "nothing yet" if figures.done < figures.total else "nothing"
    if figures.cost is None and not figures.unpriced:
        return "nothing: no reply came back"
    if figures.cost is None:
        return "not known, as no price is"
    if figures.unpriced:
        return f"{dollars(figures.cost)}, and {figures.unpriced} replies without a known price"
    return dollars(figures.cost)


def per_decision(figures: Progress) -> str:
    """What a decision has cost on average; "" before there is one."""
    if not figures.calls or not figures.passed + figures.failed + figures.escalated:
        return ""
    each = figures.cost_per_decision
    return "not known" if each is None else dollars(each)


def saved_lines(figures: Progress) -> list[str]:
    """Why calls were not made, each with how many; empty where every call was."""
    saved = figures.saved
    lines = [
        (saved.killed, "about rows that Layer 1 had killed"),
        (saved.decided, "to jurors who could not have changed what their panel says"),
        (saved.reused, "about questions that had been answered within the last day"),
    ]
    return [f"{calls:,} {why}" for calls, why in lines if calls]


def money_saved(figures: Progress) -> str:
    """What those calls would have cost."""
    cost = figures.saved.cost
    if cost is None:
        return "not known, as no answer here had a known price"
    return f"about {dollars(cost)}, each call at what its juror's answers cost here on average"


def expected_cost(expected: Estimate) -> str:
    """What a run will cost; from the least to the most where it may ask fewer questions."""
    if not expected.calls:
        return "nothing"
    if expected.cost is None or expected.least_cost is None:
        return "not known, as the price of at least one juror is not"
    least, most = dollars(expected.least_cost), dollars(expected.cost)
    return f"about {most}" if least == most else f"about {least} to {most}"


def dollars(amount: Decimal) -> str:
    """US dollars, small amounts with as many digits as they need."""
    if 0 < amount < Decimal("0.0001"):
        return "under $0.0001"
    return f"${amount:.2f}" if amount >= 1 or not amount else f"${amount:.4f}"


def time_left(figures: Progress) -> str:
    """The time left at the present rate, roughly."""
    seconds = figures.seconds_left
    if seconds is None:
        return "not known yet"
    if seconds < 90:
        return f"about {max(seconds, 1)} s"
    minutes = round(seconds / 60)
    return f"about {minutes} min" if minutes < 90 else f"about {round(minutes / 60)} h"


def duration(run: Run) -> str:
    """How long a run took from its start to its end; empty while it has none."""
    if run.finished_at is None or run.finished_at < run.created_at:
        return ""
    took = run.finished_at - run.created_at
    if took < timedelta(minutes=2):
        return f"{took.total_seconds():.0f} s"
    minutes = round(took / timedelta(minutes=1))
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"
