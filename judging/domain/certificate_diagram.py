"""docs/certificate-states.md, written from the data in `certificate_states`."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from judging.domain.certificate_states import MEANINGS, TRANSITIONS, Event, State

_HEAD = """\
# The life of a certificate

Written by `python manage.py certificate_states` from `judging/domain/certificate_states.py`, which every
event is checked against: change it there. A test compares.

A certificate is about one judge version on one criteria version. Its events are only added to; the newest is
in force. In the API `status` is `certified` or `uncertified`; the reasons tell the other states.
"""

_FOOT = """\
A state and an event without a line do not go together: nothing is added, whatever happens. Nobody who was
refused is certified by anything but questions to the judge itself. A certificate is over in the very second
it expires; that it is, is noted by a worker seconds later, and the answer to readers does not wait for it.
"""


def document(words: Mapping[str, str]) -> str:
    """The whole file, in Markdown. `words`: what each event is called in a history."""
    return "\n".join([_HEAD, diagram(), "", _states(), _events(words), _FOOT])


def diagram() -> str:
    """A Mermaid state diagram: one arrow for each two states, with the events that lead along it."""
    lines = ["```mermaid", "stateDiagram-v2", f"    [*] --> {State.NEVER_CALIBRATED}"]
    for (before, after), events in _arrows().items():
        lines.append(f"    {before} --> {after}: {', '.join(events)}")
    return "\n".join([*lines, "```"])


def _arrows() -> dict[tuple[State, State], list[Event]]:
    """By the states they connect; those that stay where they are, left to the table."""
    arrows: dict[tuple[State, State], list[Event]] = defaultdict(list)
    for event, changes in TRANSITIONS.items():
        for before, states in changes.items():
            for after in states:
                if after != before:
                    arrows[before, after].append(event)
    order = list(State)
    return dict(sorted(arrows.items(), key=lambda each: [order.index(state) for state in each[0]]))


def _states() -> str:
    rows = [f"| `{state}` | {MEANINGS[state]} |" for state in State]
    return "\n".join(["## States", "", "| state | meaning |", "| --- | --- |", *rows, ""])


def _events(words: Mapping[str, str]) -> str:
    rows = [
        f"| `{event}` | {words[event]} | {_coded(befores)} | {_coded(afters)} |"
        for event in TRANSITIONS
        for afters, befores in alike(event).items()
    ]
    head = ["## Events", "", "| event | what happened | from | to |", "| --- | --- | --- | --- |"]
    return "\n".join([*head, *rows, ""])


def alike(event: Event) -> dict[tuple[State, ...], list[State]]:
    """The states from which it leads to the same ones, by these."""
    alike: dict[tuple[State, ...], list[State]] = defaultdict(list)
    for before in State:
        if after := TRANSITIONS[event].get(before):
            alike[after].append(before)
    return alike


def _coded(states: Iterable[State]) -> str:
    return ", ".join(f"`{state}`" for state in states)
