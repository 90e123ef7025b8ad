"""What moved, the judge or the product? Three kinds of evidence, each of which may be missing, in words.

A golden replay asks the judge again about rows that do not change: what moves there is the judge. The audit
compares it with people on live rows. The pass rate moves with either, so alone it proves nothing.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from judging.domain.control_charts import ControlChart
from judging.domain.replay_findings import Replays

type Audits = Literal["steady", "alarm", "missing"]
type Rates = Literal["steady", "moved", "missing"]
type Kind = Literal["steady", "watch", "judge", "product", "unclear", "unknown"]


@dataclass(frozen=True, slots=True)
class Told:
    """`kind`: what moved, for whoever draws it; `words`: the same as sentences that say what to do."""

    kind: Kind
    words: str


_STEADY = "Replays and audit are steady: the judge is as good as when it was certified"
_REPLAY_STEADY = "The judge answers the golden rows as it did when it was certified"
_AUDIT_STEADY = "People agree with the judge on audited live rows as often as when it was certified"
_BOTH = "The judge moved: it answers golden rows worse than it did, and people disagree with it on live rows."
_REPLAY_ONCE = "One golden replay came out worse than the certified run, which may be chance"
_AND_WAIT = "See what the next replay says, or start one now."
_REPLAY_ONLY = "The judge moved: it answers golden rows worse than it did"
_AUDIT_ONLY = "People disagree with the judge on live rows more than they did"
_AND_ASK = "Find out what the provider changed, and calibrate again."

_TOLD: dict[tuple[Replays, Audits], dict[Rates, Told]] = {
    ("steady", "steady"): {
        "steady": Told("steady", f"{_STEADY}, and it passes as many outputs as usual."),
        "moved": Told(
            "product",
            f"{_STEADY}. Its pass rate moved, so the outputs changed, not the judge: look at what the "
            "generator was given or how it was changed.",
        ),
        "missing": Told("steady", f"{_STEADY}. Too little live traffic is judged to compare its pass rate."),
    },
    ("steady", "alarm"): {
        "steady": Told(
            "unclear",
            f"{_AUDIT_ONLY}, while golden rows come out as before: live outputs are no longer like the "
            "golden rows. Audited rows join those once labelled: label more of them, then calibrate again.",
        ),
        "moved": Told(
            "product",
            f"{_AUDIT_ONLY}, and its pass rate moved, while golden rows come out as before: the outputs "
            "changed into something that the judge does not grade well. Label more live rows and calibrate "
            "again.",
        ),
        "missing": Told(
            "unclear",
            f"{_AUDIT_ONLY}, while golden rows come out as before: live outputs are probably no longer "
            "like the golden rows. Label more live rows and calibrate again.",
        ),
    },
    ("steady", "missing"): {
        "steady": Told(
            "steady",
            f"{_REPLAY_STEADY} and passes as many live outputs as usual. Without labels of audited rows "
            "nobody knows whether people still agree with it there: label those first.",
        ),
        "moved": Told(
            "product",
            f"{_REPLAY_STEADY}, yet its pass rate moved: the outputs probably changed. Label the audited "
            "rows to be sure.",
        ),
        "missing": Told(
            "steady",
            f"{_REPLAY_STEADY}. Too few live rows are judged and labelled to say how it does there: let a "
            "schedule judge new rows, and label those of the audit.",
        ),
    },
    ("watch", "steady"): {
        "steady": Told(
            "watch", f"{_REPLAY_ONCE}: people agree with it on live rows as often as before. {_AND_WAIT}"
        ),
        "moved": Told("watch", f"{_REPLAY_ONCE}, and its pass rate moved. {_AND_WAIT}"),
        "missing": Told(
            "watch", f"{_REPLAY_ONCE}: on audited live rows people agree with it as before. {_AND_WAIT}"
        ),
    },
    ("watch", "alarm"): {
        "steady": Told("unclear", f"{_AUDIT_ONLY}. {_REPLAY_ONCE}. {_AND_WAIT}"),
        "moved": Told("unclear", f"{_AUDIT_ONLY}, and its pass rate moved. {_REPLAY_ONCE}. {_AND_WAIT}"),
        "missing": Told("unclear", f"{_AUDIT_ONLY}. {_REPLAY_ONCE}. A second one tells: start it now."),
    },
    ("watch", "missing"): {
        "steady": Told(
            "watch",
            f"{_REPLAY_ONCE}, and it passes as many live outputs as usual. Label audited rows. {_AND_WAIT}",
        ),
        "moved": Told(
            "watch",
            f"{_REPLAY_ONCE}. Its pass rate moved, too, and no labels of audited rows say why. {_AND_WAIT}",
        ),
        "missing": Told("watch", f"{_REPLAY_ONCE}. {_AND_WAIT}"),
    },
    ("worse", "steady"): {
        "steady": Told(
            "judge",
            f"{_REPLAY_ONLY}. On live rows people still agree with it, so it may be worse only at what "
            f"is rare there. {_AND_ASK}",
        ),
        "moved": Told(
            "judge",
            f"{_REPLAY_ONLY}, and its pass rate moved. On audited live rows this does not show yet. "
            f"{_AND_ASK}",
        ),
        "missing": Told("judge", f"{_REPLAY_ONLY}. On audited live rows this does not show yet. {_AND_ASK}"),
    },
    ("worse", "alarm"): {
        "steady": Told("judge", f"{_BOTH} {_AND_ASK}"),
        "moved": Told("judge", f"{_BOTH} That moves its pass rate too. {_AND_ASK}"),
        "missing": Told("judge", f"{_BOTH} {_AND_ASK}"),
    },
    ("worse", "missing"): {
        "steady": Told(
            "judge", f"{_REPLAY_ONLY}. No labels of audited rows say how it does live. {_AND_ASK}"
        ),
        "moved": Told(
            "judge", f"{_REPLAY_ONLY}, which may be why its pass rate moved. {_AND_ASK} Label audited rows."
        ),
        "missing": Told("judge", f"{_REPLAY_ONLY}. {_AND_ASK}"),
    },
    ("missing", "steady"): {
        "steady": Told("steady", f"{_AUDIT_STEADY}, and it passes as many outputs as usual."),
        "moved": Told(
            "product",
            f"{_AUDIT_STEADY}, so its pass rate moved because the outputs changed. A golden replay would "
            "confirm it.",
        ),
        "missing": Told("steady", f"{_AUDIT_STEADY}."),
    },
    ("missing", "alarm"): {
        "steady": Told(
            "unclear",
            f"{_AUDIT_ONLY}. Only a golden replay can say whether the judge changed or the outputs did: "
            "start one now.",
        ),
        "moved": Told(
            "unclear",
            f"{_AUDIT_ONLY}, and its pass rate moved. Only a golden replay can say whether the judge "
            "changed or the outputs did: start one now.",
        ),
        "missing": Told(
            "unclear",
            f"{_AUDIT_ONLY}. Start a golden replay: it says whether the judge changed or the outputs did.",
        ),
    },
    ("missing", "missing"): {
        "steady": Told(
            "unknown",
            "It passes as many live outputs as usual, which does not show that it passes the right ones. "
            "Label audited rows, and replay the golden set.",
        ),
        "moved": Told(
            "unknown",
            "Its pass rate moved, and nothing says why: without a golden replay and labels of audited rows "
            "a changed judge looks just like changed outputs. Start a replay first.",
        ),
        "missing": Told(
            "unknown",
            "Too little was seen of the judge since it was measured. Schedule golden replays and samples of "
            "new rows.",
        ),
    },
}


def told(replays: Replays, audits: Audits, rates: Rates) -> Told:
    """What the three together say. "missing" means too little or too old to say anything."""
    return _TOLD[replays, audits][rates]


type Missing = Literal["audit_off", "no_audit_labels", "no_replay_planned", "no_replay", "nothing_judged"]

# How long each kind of evidence may be away before that is itself a warning.
AUDIT_DAYS, REPLAY_DAYS, JUDGED_DAYS = 7, 7, 4
LEAST_AUDITED = 20  # rows on which people and judge have both decided; fewer show no steadiness


def audits_say(n: int, alarmed: bool, last: datetime | None, now: datetime) -> Audits:
    """What the audit says with `n` rows, the last of them settled at `last`."""
    if alarmed:
        return "alarm"
    fresh = last is not None and now - last <= timedelta(days=AUDIT_DAYS + 1)
    return "steady" if fresh and n >= LEAST_AUDITED else "missing"


def rates_say(passes: ControlChart) -> Rates:
    """What the daily pass rates say."""
    if passes.baseline is None or all(day.low is None for day in passes.days):
        return "missing"
    return "moved" if passes.newest_out else "steady"


@dataclass(frozen=True, slots=True)
class Seen:
    """When what was seen last, None: never; `since`: when the judge was certified or taken up again."""

    since: datetime
    audit_share: float
    audit_label: datetime | None
    replay: datetime | None
    replay_planned: bool
    judged: datetime | None


@dataclass(frozen=True, slots=True)
class Warned:
    """Something that nobody watches: which, and a sentence."""

    code: Missing
    words: str


def missing(seen: Seen, now: datetime) -> list[Warned]:
    """What is not known of a judge in use because nobody looked; what is most easily mended comes last."""
    found = []
    if not seen.audit_share:
        found.append(Warned("audit_off", "The audit is switched off: no live row goes to people."))
    elif days := _days(seen.audit_label, seen.since, now, AUDIT_DAYS):
        found.append(Warned("no_audit_labels", f"No audit labels for {days} days."))
    if days := _days(seen.replay, seen.since, now, REPLAY_DAYS):
        found.append(Warned("no_replay", f"No golden replay for {days} days."))
    if not seen.replay_planned:
        found.append(Warned("no_replay_planned", "No golden replay is scheduled."))
    if days := _days(seen.judged, seen.since, now, JUDGED_DAYS):
        found.append(Warned("nothing_judged", f"Nothing was judged for {days} days."))
    return found


def _days(last: datetime | None, since: datetime, now: datetime, most: int) -> int:
    """Whole days without it, counted from `since` at the earliest; 0 while they are no more than `most`."""
    days = (now - max(last or since, since)) // timedelta(days=1)
    return days if days > most else 0
