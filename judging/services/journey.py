"""The six steps to a certificate: what is there of each, in words, and the one thing to do next."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from django.utils import timezone

from judging.services.connections import Missing
from judging.services.journey_facts import Facts, facts_of
from judging.services.journey_stages import Stage, before_any_set, stages_of
from labeling.models import CriteriaSet
from labeling.services.counts import Counts
from labeling.services.next_steps import NextStep

type State = Literal["done", "now", "later"]


@dataclass(frozen=True, slots=True)
class Step:
    """One step as it is shown: the current one alone has an action."""

    number: int
    state: State
    title: str
    words: str
    action: NextStep | None
    links: tuple[NextStep, ...]
    missing: tuple[Missing, ...]


def steps_of(facts: Facts | None) -> list[Step]:
    """The steps of a criteria set; None for an installation that has none yet."""
    stages = list(stages_of(facts) if facts else before_any_set())
    current = next((number for number, stage in enumerate(stages) if not stage.done), len(stages))
    return [_step(number, stage, current) for number, stage in enumerate(stages)]


def _step(number: int, stage: Stage, current: int) -> Step:
    state: State = "done" if stage.done else "now" if number == current else "later"
    action = stage.action if state == "now" else None
    missing = stage.missing if state == "now" else ()
    return Step(number + 1, state, stage.title, stage.words, action, stage.links, missing)


def advise(sets: Sequence[CriteriaSet], counts: Mapping[int, Counts]) -> dict[int, NextStep]:
    """The one next action in each set; an adviser of `labeling.services.next_steps`."""
    found = {}
    for facts in facts_of(sets, counts, timezone.now()):
        step = next((step for step in steps_of(facts) if step.state == "now"), None)
        if step and step.action:
            why = f"Step {step.number} of 6, {step.title.lower()}: {step.words}"
            found[facts.criteria_set.pk] = NextStep(step.action.text, step.action.url, why)
    return found
