"""The one thing to do next about a judge, from the reasons of its certificate. Here and nowhere else."""

from collections.abc import Callable, Mapping

from judging.domain.cases import Action, Case, Step
from judging.domain.figures import counted
from judging.domain.reasons import CertificateReason as Code
from judging.domain.reasons import Reason

__all__ = ["AGAINST", "BESIDE", "Action", "Case", "Step", "labels_words", "next_step"]


def next_step(case: Case) -> Step:
    """The step for the first obstacle; for a judge that may gate, the step that would make it surer."""
    if case.at_work:
        return Step(Action.WATCH_RUN, "A calibration is under way. When it ends, its result stands here.")
    found = {reason.code: reason for reason in case.reasons}
    if found:
        return next(step(case, found[code]) for code, step in AGAINST.items() if code in found)
    if case.is_draft:
        return Step(Action.PROMOTE, "Promote it: the gate asks the live version until then.")
    beside = {warning.code: warning for warning in case.warnings}
    for code, step in BESIDE.items():
        if code in beside:
            return step(case, beside[code])
    return Step(Action.USE, "Nothing. Calibrate again before the certificate expires.")


def labels_words(case: Case) -> str:
    """How many more labels are needed, and for what."""
    if any(reason.code == Code.NEVER_CALIBRATED for reason in case.reasons):
        return f"Not known before the first calibration. The policy asks for {case.min_rows} rows."
    if case.more_labels:
        return f"{case.more_labels} more: {_what_is_missing(case)}.{_until_look(case)}"
    codes = {reason.code for reason in case.reasons}
    if Code.UNDEFINED_KAPPA in codes:
        return "Rows of the other kind: kappa exists only where there are good rows and bad ones."
    if Code.BELOW_BAR in codes:
        return "No more. More labels make this surer, not better: the judge or the criteria must change."
    if Code.BOUND_BELOW_BAR in codes:
        return _to_show(case)
    return f"No more for the certificate. {_how_sure(case)}"


def _until_look(case: Case) -> str:
    """Where the rows that the policy asks for do not reach to the next look."""
    if not case.by_looks or case.until_look <= case.more_labels:
        return ""
    return f" The next planned look is at {_next_look(case)}: {case.until_look} more."


def _next_look(case: Case) -> str:
    return f"{case.next_look} rows{' drawn evenly' if case.strata else ''}"


def _to_show(case: Case) -> str:
    """What it takes under a plan of looks."""
    if case.next_look is None:
        return "No number of rows helps this version: no planned look is left."
    look = f"the next planned look is at {_next_look(case)}"
    words = f"{case.until_look} more: {look}." if case.until_look else f"None until a calibration: {look}."
    if case.labels_needed is None or case.labels_needed <= case.table.n:
        return words
    return (
        f"{words} A single look would show a judge that does as well as this one to be above the bar of "
        f"{case.bar} with about {case.labels_needed} rows in all, four times in five; several looks ask for "
        "somewhat more."
    )


def _how_sure(case: Case) -> str:
    if case.shown:
        return (
            f"The {case.table.n} rows there are make it 95% sure that its kappa is above {case.bound}; "
            f"the bar is {case.bar}."
        )
    if case.labels_needed is None:
        return f"Kappa is so near the bar of {case.bar} that no number of labels would settle it."
    further = case.labels_needed - case.table.n
    if further > 0:
        return (
            f"To be 95% sure that its kappa is above the bar of {case.bar} takes about {further} more "
            f"({case.labels_needed} in all), if it does as well on those."
        )
    return f"A few more would make it surer that its kappa is above the bar of {case.bar}."


def _what_is_missing(case: Case) -> str:
    measured = case.measured
    scored = counted(case.table.n, measured.counts_like()) if case.strata else str(case.table.n)
    parts = [f"the policy asks for {case.min_rows} rows and {scored} are scored"]
    for kind, rows, missing, passed in (
        ("good", case.table.n_pass, case.missing_good, True),
        ("bad", case.table.n_fail, case.missing_bad, False),
    ):
        if missing:
            have = counted(rows, measured.counts_like(passed)) if case.strata else rows
            parts.append(f"for {case.min_per_class} that people find {kind} and there are {have}")
    return ", ".join(parts if case.missing_rows else parts[1:])


def _calibrate(case: Case, reason: Reason) -> Step:
    return Step(
        Action.CALIBRATE,
        "Calibrate it: it is asked about every labelled row that counts, and compared with people.",
    )


def _again(because: str) -> Callable[[Case, Reason], Step]:
    return lambda case, reason: Step(Action.CALIBRATE, f"{because} Calibrate again.")


def _label(case: Case, reason: Reason) -> Step:
    more = case.more_labels
    words = f"Label {more} more row{'' if more == 1 else 's'} that count" + ("s" if more == 1 else "")
    kinds = [
        f"{missing} that people find {kind}"
        for kind, missing in (("good", case.missing_good), ("bad", case.missing_bad))
        if missing
    ]
    among = f", among them at least {' and '.join(kinds)}" if kinds else ""
    return Step(Action.LABEL, f"{words}{among}. Then calibrate again.")


def _both_kinds(case: Case, reason: Reason) -> Step:
    return Step(Action.LABEL, "Label rows of both kinds, good and bad ones. Then calibrate again.")


def _skips(case: Case, reason: Reason) -> Step:
    return Step(Action.SEE_SKIPS, "Look at the rows on which it gave no verdict, and at what stopped it.")


def _errors(case: Case, reason: Reason) -> Step:
    lenient, strict = case.table.c, case.table.b
    if lenient >= strict:
        rows = "1 row" if lenient == 1 else f"{lenient} rows"
        return Step(
            Action.SEE_LENIENT,
            f"Look at the {rows} where it was too lenient: it passed what people fail. "
            "Then sharpen the judge or the criteria.",
        )
    rows = "1 row" if strict == 1 else f"{strict} rows"
    return Step(
        Action.SEE_STRICT,
        f"Look at the {rows} where it was too strict: it failed what people pass. "
        "Then sharpen the judge or the criteria.",
    )


def _ordering(case: Case, reason: Reason) -> Step:
    if reason.detail == "not measured":
        return Step(
            Action.ORDER, "The policy demands an ordering test. Ask the judge about the reference sets."
        )
    return Step(Action.ORDER, "It put a deficient output at or above a good one. Look at where it did.")


def _policy(case: Case, reason: Reason) -> Step:
    return Step(
        Action.OPEN_POLICY,
        "The policy demands something that was not measured. Change the policy, or keep the judge closed.",
    )


def _look(case: Case, reason: Reason) -> Step:
    if not case.by_looks:
        return _policy(case, reason)
    if case.next_look is None:
        return Step(
            Action.OPEN_POLICY,
            "No planned look is left. Plan more rows in the policy, label fresh ones, and make a new version "
            "of the judge: it begins by that plan.",
        )
    if case.until_look:
        rows = "row that counts" if case.until_look == 1 else "rows that count"
        return Step(
            Action.LABEL,
            f"Label {case.until_look} more {rows}: the next planned look is at "
            f"{_next_look(case) if case.strata else case.next_look}. "
            "Then calibrate again.",
        )
    return Step(Action.CALIBRATE, f"The planned look at {case.next_look} rows is due. Calibrate again.")


def _ceiling(case: Case, reason: Reason) -> Step:
    if reason.detail == "not measured":
        return Step(
            Action.OPEN_POLICY,
            "Ask for two labels on each row, so that people can be compared.",
        )
    return Step(
        Action.OPEN_CRITERIA,
        "Sharpen the criteria until people agree with each other: no judge can agree with people who do not.",
    )


def _drifted(case: Case, reason: Reason) -> Step:
    return Step(
        Action.SEE_DRIFT,
        "Look at where it drifted from people. Two golden replays in a row that it passes lift the "
        "suspension, or a lead with a reason; a new calibration replaces it.",
    )


def _settle(case: Case, reason: Reason) -> Step:
    return Step(Action.SETTLE, "Settle the rows on which people disagree: they count for nothing until then.")


def _surer(case: Case, reason: Reason) -> Step:
    further = (case.labels_needed or 0) - case.table.n
    if further <= 0:
        return Step(Action.LABEL, "It may gate. More labelled rows would make the answer surer.")
    return Step(
        Action.LABEL,
        f"It may gate. About {further} more labelled rows ({case.labels_needed} in all) would settle whether "
        "its kappa is above the bar, if it does as well on those.",
    )


type _Steps = Mapping[Code, Callable[[Case, Reason], Step]]

# What stands in the way, the first to be cleared first: without rows nothing else can be told.
AGAINST: _Steps = {
    Code.NEVER_CALIBRATED: _calibrate,
    Code.RUN_INCOMPLETE: _again("The run was ended before every row was judged."),
    Code.TOO_FEW_ROWS: _label,
    Code.TOO_FEW_OF_ONE_CLASS: _label,
    Code.UNDEFINED_KAPPA: _both_kinds,
    Code.HUMAN_CEILING_LOW: _ceiling,
    Code.LOW_COVERAGE: _skips,
    Code.BELOW_BAR: _errors,
    Code.ORDERING_VIOLATED: _ordering,
    Code.BOUND_BELOW_BAR: _look,
    Code.SKIPS_WORST_CASE: _skips,
    Code.UNRESOLVED_LABELS: _settle,
    Code.DRIFT_ALARM: _drifted,
    Code.JUDGE_CHANGED: _again("The judge changed since it was measured."),
    Code.CRITERIA_CHANGED: _again("The criteria changed since it was measured."),
    Code.PROVIDER_MODEL_CHANGED: _again(
        "The provider answers with another model now. Wait for two golden replays in a row that the judge "
        "passes, or measure it as it is now:"
    ),
    Code.GOLDEN_SET_CHANGED: _again("Labels were corrected since it was measured."),
    Code.EXPIRED: _again("Its certificate ran out."),
}

# What a judge that may gate would gain from, the most telling first.
BESIDE: _Steps = {
    Code.GOLDEN_SET_CHANGED: _again("It may gate, though labels were corrected since it was measured."),
    Code.HUMAN_CEILING_LOW: _ceiling,
    Code.SKIPS_WORST_CASE: _skips,
    Code.ORDERING_VIOLATED: _ordering,
    Code.BOUND_BELOW_BAR: _surer,
    Code.LOW_COVERAGE: _skips,
    Code.UNRESOLVED_LABELS: _settle,
}
