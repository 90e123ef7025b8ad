"""A panel whose answers were recorded: what three judges really said of the same outputs, as they came.

From the published answers of GPT-3.5 under three prompts on CoNaLa's code snippets where the shared material
is there (see `tests.shared`), else from the demo's scripted panel.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pytest

from demo.provider import JURORS
from demo.rows import Row, all_rows
from tests.shared import shared_rows

BROKEN_EVERY = 20  # one arrival in so many is evidently broken, as failed tools leave it
_PUBLISHED = {
    "cot": "gpt-3.5-turbo/cot",
    "cot-ref": "gpt-3.5-turbo/cot+ref",
    "no-cot": "gpt-3.5-turbo/no-cot",
}
_DEMO = ("careful", "literal", "quick")
_DEMO_PER_DELIVERY, _DEMO_REPEATED = 20, 4


@dataclass(frozen=True)
class Arrival:
    """One output with what each juror says of it: `pass`, `fail`, or `prose` where it gave no verdict."""

    request: str
    output: str
    said: dict[str, str]


@dataclass(frozen=True)
class Recording:
    """Deliveries of a day, one after the other, and in words where they are from."""

    source: str
    jurors: tuple[str, ...]
    deliveries: list[list[Arrival]]

    @property
    def arrivals(self) -> list[Arrival]:
        return [arrival for delivery in self.deliveries for arrival in delivery]

    @property
    def repeated(self) -> int:
        """How many arrivals had come before, word for word."""
        return len(self.arrivals) - len({(each.request, each.output) for each in self.arrivals})


def recording(requests: int) -> Recording:
    """The answers to so many requests, with broken outputs strewn in."""
    try:
        source, jurors, deliveries = _published(requests)
    except pytest.skip.Exception as absent:
        source, jurors, deliveries = f"the demo's panel ({absent.msg})", _DEMO, _demo(requests)
    numbers = iter(range(1, 1_000_000))
    strewn = [list(_with_broken(delivery, jurors, numbers)) for delivery in deliveries]
    return Recording(source, jurors, strewn)


def _published(requests: int) -> tuple[str, tuple[str, ...], list[list[Arrival]]]:
    """One delivery for each of five generators, which answer the same requests: some in the same words."""
    rows = [row for row in shared_rows("data/conala_code.jsonl") if row["judges"]]
    wanted = set(list(dict.fromkeys(row["request"] for row in rows))[:requests])
    said: dict[tuple[str, str], dict[str, str]] = {}
    deliveries: dict[str, list[Arrival]] = {}
    for row in rows:
        if row["request"] in wanted:
            spoken = {judge["judge"]: judge["verdict"] or "prose" for judge in row["judges"]}
            answers = {name: spoken.get(judge, "prose") for name, judge in _PUBLISHED.items()}
            key = (row["request"], row["candidate"])
            generator = row["id"].split("-", 2)[2]
            arrival = Arrival(*key, said.setdefault(key, answers))
            deliveries.setdefault(generator, []).append(arrival)
    return "GPT-3.5 under three prompts on CoNaLa's snippets", tuple(_PUBLISHED), list(deliveries.values())


def _demo(requests: int) -> list[list[Arrival]]:
    arrivals = [
        Arrival(f"Row {number}", row.candidate, {name: _demo_said(name, row) for name in _DEMO})
        for number, row in enumerate(all_rows())
    ][: 5 * requests]
    parts = range(0, len(arrivals), _DEMO_PER_DELIVERY)
    return [
        [*arrivals[start : start + _DEMO_PER_DELIVERY], *arrivals[:_DEMO_REPEATED] * bool(start)]
        for start in parts
    ]


def _demo_said(name: str, row: Row) -> str:
    juror = JURORS[name]
    if row.kind in juror.trips:
        return "prose"
    if row.kind in juror.imagines:
        return "fail"
    return "fail" if row.fails and row.kind not in juror.misses else "pass"


def _with_broken(
    delivery: Sequence[Arrival], jurors: Sequence[str], numbers: Iterator[int]
) -> Iterator[Arrival]:
    """Every juror fails what is evidently broken."""
    for place, arrival in enumerate(delivery, start=1):
        yield arrival
        if place % (BROKEN_EVERY - 1) == 0:
            failed = json.dumps({"success": False, "result": None, "call": next(numbers)})
            yield Arrival("Call the tool and report its result.", failed, dict.fromkeys(jurors, "fail"))
