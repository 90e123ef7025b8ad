"""What moved, in words: every combination of evidence has its own answer, missing evidence too."""

from datetime import UTC, datetime, timedelta
from itertools import product
from typing import get_args

import pytest

from judging.domain.drift_words import Audits, Rates, Seen, audits_say, missing, told
from judging.domain.replay_findings import Replays

NOW = datetime(2026, 5, 10, 12, tzinfo=UTC)
EVERY = list(product(get_args(Replays.__value__), get_args(Audits.__value__), get_args(Rates.__value__)))
FRESH = NOW - timedelta(days=1)


@pytest.mark.parametrize(("replays", "audits", "rates"), EVERY)
def test_every_combination_is_told(replays: Replays, audits: Audits, rates: Rates) -> None:
    found = told(replays, audits, rates)

    assert found.words.endswith(".")
    # A judge that answers unchanging rows otherwise has changed, whatever else there is.
    assert (found.kind == "judge") == (replays == "worse")
    if found.kind == "product":
        assert rates == "moved"
        assert replays != "worse"
    if found.kind == "steady":
        assert "alarm" not in (audits,)
        assert rates != "moved"


def test_the_words_differ_wherever_the_evidence_does() -> None:
    told_words = [told(*each).words for each in EVERY]

    # With the judge's change certain, a steady and a missing pass rate come to the same.
    assert len(set(told_words)) == len(EVERY) - 1


@pytest.mark.parametrize(
    ("evidence", "kind", "words"),
    [
        (("steady", "steady", "moved"), "product", "so the outputs changed, not the judge"),
        (("worse", "alarm", "steady"), "judge", "The judge moved"),
        (("watch", "steady", "steady"), "watch", "which may be chance"),
        (("watch", "alarm", "steady"), "unclear", "One golden replay came out worse"),
        (("missing", "alarm", "moved"), "unclear", "Only a golden replay can say"),
        (("steady", "alarm", "steady"), "unclear", "live outputs are no longer like the golden rows"),
        (("missing", "missing", "moved"), "unknown", "nothing says why"),
        (("missing", "missing", "missing"), "unknown", "Too little was seen of the judge"),
    ],
)
def test_product_is_told_from_judge(evidence: tuple[Replays, Audits, Rates], kind: str, words: str) -> None:
    found = told(*evidence)

    assert found.kind == kind
    assert words in found.words


def test_an_audit_says_something_with_rows_enough_that_are_new() -> None:
    old = NOW - timedelta(days=9)

    assert audits_say(20, False, FRESH, NOW) == "steady"
    assert audits_say(19, False, FRESH, NOW) == audits_say(20, False, old, NOW) == "missing"
    assert audits_say(0, False, None, NOW) == "missing"
    assert audits_say(3, True, old, NOW) == "alarm"


def seen(**differing: object) -> Seen:
    fresh = {"audit_share": 0.05, "audit_label": FRESH, "replay": FRESH, "replay_planned": True}
    usual = {"since": NOW - timedelta(days=40), "judged": FRESH} | fresh
    return Seen(**usual | differing)  # type: ignore[arg-type]


def words(**differing: object) -> list[str]:
    return [each.words for each in missing(seen(**differing), NOW)]


def test_what_is_fresh_is_not_missed() -> None:
    assert words() == []


def test_what_is_old_is_said_in_days() -> None:
    nine, twelve, five = (NOW - timedelta(days=days, hours=3) for days in (9, 12, 5))

    assert words(audit_label=nine, replay=twelve, judged=five) == [
        "No audit labels for 9 days.",
        "No golden replay for 12 days.",
        "Nothing was judged for 5 days.",
    ]


def test_what_never_was_is_missed_since_the_judge_was_certified() -> None:
    never = {"audit_label": None, "replay": None, "judged": None}

    assert words(**never)[0] == "No audit labels for 40 days."
    assert words(**never, since=NOW - timedelta(days=3)) == []


def test_evidence_from_before_the_certificate_counts_from_then() -> None:
    assert words(replay=NOW - timedelta(days=90), since=NOW - timedelta(days=8)) == [
        "No golden replay for 8 days."
    ]


def test_what_is_switched_off_or_not_planned_is_said() -> None:
    assert words(audit_share=0, audit_label=None, replay_planned=False) == [
        "The audit is switched off: no live row goes to people.",
        "No golden replay is scheduled.",
    ]


@pytest.mark.parametrize(("days", "missed"), [(7, False), (8, True)])
def test_a_week_is_not_too_long(days: int, missed: bool) -> None:
    assert bool(words(replay=NOW - timedelta(days=days))) == missed
