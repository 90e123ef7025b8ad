"""What the detail page shows behind a standing."""

from typing import Any

from django.db.models import QuerySet

from judging.models import Certificate, JudgeVersion, Run
from judging.services.costs import spent_in
from judging.services.daily_rates import live_of
from judging.services.false_kills import kills_of
from judging.services.judges import with_jurors
from judging.services.standing import Standing
from judging.views.answers import answer_of
from judging.views.costs import decision_cost, in_turn_words
from judging.views.figures import defined, lines_of, more_lines_of
from judging.views.judge_facts import warnings_here
from judging.views.kappa_history import kappa_over_time
from judging.views.layer1 import idle_of, named
from judging.views.layer1 import lines_of as checks_of
from judging.views.limits import limits_of, rests_on_rows
from judging.views.pairs import UNFINISHED, jurors_of, load_pairs, worth_of
from judging.views.replays import replayed
from judging.views.seats import skips_of
from judging.views.two_by_two import two_by_two
from labeling.domain.agreement import band

_HISTORY = 20  # events shown
_FEW = 2_000  # rows on which jurors are compared while the page waits; of more, another page tells
_BANDS = {
    "strong": "strong: the judge nearly always says what people say",
    "substantial": "substantial: clearly more than luck, with errors to be expected",
    "watch": "middling: near the usual bar, and to be watched",
    "weak": "weak: too little beyond luck to act on",
}


def evidence_of(standing: Standing) -> dict[str, Any]:
    """Template context: the answer, drafts beside the live version, table, figures, jurors and history."""
    key = (standing.criteria_version.criteria_set_id, standing.judge_version.judge_id)
    live = next(iter(load_pairs([key], standing.now)), None)
    shadows = live.shadows if live else []
    beside = [each for each in shadows if not _same(each.standing, standing)]
    context: dict[str, Any] = {
        "answer": answer_of(standing, _at_work(standing), live_of(standing)),
        "live": live.answer if live else None,
        "this_shadow": next((each for each in shadows if _same(each.standing, standing)), None),
        "shadows": beside,
        "earlier": _earlier(standing),
    }
    if standing.certificate is None:
        return context
    return context | _behind(standing, standing.certificate)


def _same(one: Standing, other: Standing) -> bool:
    return (one.judge_version, one.criteria_version) == (other.judge_version, other.criteria_version)


def _at_work(standing: Standing) -> Run | None:
    """A calibration of just these versions that has not ended."""
    runs = Run.objects.filter(
        kind=Run.Kind.CALIBRATION,
        state__in=UNFINISHED,
        judge_version=standing.judge_version,
        criteria_version=standing.criteria_version,
    )
    return runs.order_by("-pk").first()


def _behind(standing: Standing, certificate: Certificate) -> dict[str, Any]:
    measured, kills = certificate.calibration.measured, kills_of(certificate.calibration)
    jurors, version = jurors_of([certificate]).get(certificate.calibration.run_id, []), _with_jurors(standing)
    return _costs(certificate, version) | {
        "calibration": certificate.calibration,
        "rests_on_rows": rests_on_rows(certificate.calibration),
        "limits": limits_of(certificate.calibration),
        "lines": lines_of(certificate),
        "checks": checks_of(kills),
        "idle": idle_of(kills),
        "above": named(kills),
        "more_lines": more_lines_of(certificate),
        "band": _BANDS.get(defined(lambda: band(float(measured.kappa()))) or ""),
        "jurors": jurors,
        "skips": skips_of(certificate.calibration),
        "warnings": warnings_here(version, standing),
        "worth": worth_of(certificate, jurors),
        "history": _history(standing),
        "two_by_two": two_by_two(standing),
        "kappa_history": kappa_over_time(standing),
        "replayed": replayed(standing, certificate),
    }


def _with_jurors(standing: Standing) -> JudgeVersion:
    return with_jurors(JudgeVersion.objects.filter(pk=standing.judge_version.pk)).get()


def _costs(certificate: Certificate, version: JudgeVersion) -> dict[str, str]:
    """What a decision costs, and what asking a panel's jurors no further than needed would have saved."""
    run, jurors = certificate.calibration.run, version.jurors()
    compares = len(jurors) > 1 and certificate.n <= _FEW
    return {
        "cost": decision_cost(spent_in(run), len(jurors)),
        "in_turn": in_turn_words(run, jurors) if compares else "",
    }


def _history(standing: Standing) -> QuerySet[Certificate]:
    events = Certificate.objects.of_pair(standing.judge_version.pk, standing.criteria_version.pk)
    return events.select_related("actor", "calibration").order_by("-pk")[:_HISTORY]


def _earlier(standing: Standing) -> list[Standing]:
    """Versions before the live ones that were measured, as they stand now."""
    found = (
        Certificate.objects.current()
        .outdated()
        .filter(
            judge_version__judge=standing.judge_version.judge_id,
            criteria_version__criteria_set=standing.criteria_version.criteria_set_id,
        )
    )
    if standing.certificate:
        found = found.exclude(pk=standing.certificate.pk)
    newest = found.with_names().order_by("-criteria_version__number", "-judge_version__number")[:_HISTORY]
    return [Standing(each.judge_version, each.criteria_version, each, standing.now) for each in newest]
