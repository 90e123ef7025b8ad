"""How a judge orders reference sets: the answer of API and commands."""

from typing import Any

from judging.domain.order_words import summary_line
from judging.models import OrderingResult, Run
from judging.services.standing import Standing


def newest_result(standing: Standing) -> OrderingResult | None:
    """What the newest run over reference sets found of the judge; None where there was none."""
    found = OrderingResult.objects.of_pair(standing.judge_version.pk, standing.criteria_version.pk)
    return found.select_related("run").first()


def results_of(run: Run) -> list[OrderingResult]:
    """What a run found: of its judge first, then of its jurors."""
    found = run.orderings.select_related("judge_version__judge").order_by("pk")
    return sorted(found, key=lambda each: each.judge_version_id != run.judge_version_id)


def order_resource(standing: Standing, result: OrderingResult | None) -> dict[str, Any]:
    """The ordering resource, ready for JSON. A number that does not exist is None."""
    jurors = results_of(result.run)[1:] if result else []
    return {
        "judge": standing.judge_version.judge.slug,
        "judge_version": standing.judge_version.number,
        "criteria": standing.criteria_version.criteria_set.slug,
        "criteria_version": standing.criteria_version.number,
        **_figures(result),
        "deciding_sets": result.deciding_sets if result else 0,
        "deciding_violated": result.deciding_violated if result else 0,
        "jurors": [{"judge": str(each.judge_version), **_figures(each)} for each in jurors],
        "as_of": result.as_of.isoformat() if result else None,
    }


def _figures(result: OrderingResult | None) -> dict[str, Any]:
    if result is None:
        counts: dict[str, Any] = dict.fromkeys(("sets", "violated", "left_out", "pairs"), 0)
        return counts | dict.fromkeys(("share", "upper_bound", "auc"))
    return {
        "sets": result.sets,
        "violated": result.violated,
        "left_out": result.left_out,
        "pairs": result.pairs,
        "share": result.violated / result.sets if result.sets else None,
        "upper_bound": result.high,
        "auc": result.auc,
    }


def order_summary(result: OrderingResult | None) -> str:
    """The line that `order` prints."""
    if result is None:
        return summary_line(0, 0, 0, None, None)
    return summary_line(result.sets, result.violated, result.left_out, result.high, result.auc)
