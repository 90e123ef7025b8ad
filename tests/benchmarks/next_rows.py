"""A labeling queue: `python -m tests.benchmarks.next_rows ROWS`. Each turn names what to do how often.

`next TIMES`: fetch the next row and label it. `page TIMES`: the same, fetched by the labeling page.
`select TIMES`: read one row by its key. Answers with the median of each in milliseconds.
"""

import sys
import time
from collections.abc import Callable
from statistics import median

import django

django.setup()

from django.test import Client  # noqa: E402
from django.utils import timezone  # noqa: E402

from labeling.domain.content import content_hash, request_hash  # noqa: E402
from labeling.models import Candidate, CriteriaSet, Slot  # noqa: E402
from labeling.services.labels import give_label  # noqa: E402
from labeling.services.queue import next_row, open_slots  # noqa: E402
from tests.benchmarks.programs import take_turns  # noqa: E402
from tests.factories import live, make_criteria_set, make_user  # noqa: E402

_BATCH = 2000


def fill(criteria_set: CriteriaSet, rows: int) -> None:
    """So many candidates with an open place in the queue each."""
    for first in range(0, rows, _BATCH):
        texts = [f"Hello, customer {number}." for number in range(first, min(first + _BATCH, rows))]
        made = Candidate.objects.bulk_create(_candidate(criteria_set, text) for text in texts)
        open_slots(version=live(criteria_set), candidate_ids=[candidate.pk for candidate in made])


def _candidate(criteria_set: CriteriaSet, output: str) -> Candidate:
    hashes = {"content_hash": content_hash("", output, "", ""), "request_hash": request_hash(output)}
    return Candidate(criteria_set=criteria_set, output=output, **hashes)


class Desk:
    """One labeler at work."""

    def __init__(self, criteria_set: CriteriaSet) -> None:
        self.version = live(criteria_set)
        self.labeler = make_user("labeler", labels=criteria_set)
        self.client = Client(SERVER_NAME="127.0.0.1")
        self.client.force_login(self.labeler)
        self.address = f"/sets/{criteria_set.slug}/label/"

    def next(self) -> float:
        began = time.perf_counter()
        row = self._held()
        seconds = time.perf_counter() - began
        self._label(row)
        return seconds

    def page(self) -> float:
        began = time.perf_counter()
        answer = self.client.get(self.address)
        seconds = time.perf_counter() - began
        assert answer.status_code == 200, answer
        self._label(self._held())
        return seconds

    def select(self) -> float:
        began = time.perf_counter()
        Slot.objects.get(pk=1)
        return time.perf_counter() - began

    def _held(self) -> Candidate:
        row = next_row(version=self.version, labeler=self.labeler, now=timezone.now())
        assert row is not None
        return row

    def _label(self, row: Candidate) -> None:
        give_label(
            candidate=row,
            version=self.version,
            labeler=self.labeler,
            verdict="pass",
            marks={"meets_criteria": 1},
            comment="",
            seconds=1,
            now=timezone.now(),
        )


def main() -> None:
    criteria_set = make_criteria_set("replies")
    fill(criteria_set, int(sys.argv[1]))
    desk = Desk(criteria_set)
    acts: dict[str, Callable[[], float]] = {"next": desk.next, "page": desk.page, "select": desk.select}

    def work(word: str) -> float:
        name, times = word.split()
        return 1000 * median(acts[name]() for _ in range(int(times)))

    take_turns(work)


if __name__ == "__main__":
    main()
