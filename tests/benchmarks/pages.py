"""The pages that leads read, with 10 000 and with 1 000 000 verdicts stored."""

import json
from contextlib import ExitStack
from functools import partial
from typing import NamedTuple

from tests.benchmarks.figures import ROUNDS, Figure, Target, in_turns
from tests.benchmarks.house import House
from tests.benchmarks.programs import Program, program, turn
from tests.benchmarks.web import serving

_AS_HTMX = {"HX-Request": "true"}
_BOUND = (Target("value", "at most", 200), Target("ratio", "at most", 1.2))


class Page(NamedTuple):
    """A page to ask for; without targets it is information."""

    name: str
    path: str
    headers: dict[str, str]
    targets: tuple[Target, ...]
    about: str


class Site:
    """An installation with so many verdicts, served, with a lead logged in."""

    def __init__(self, stack: ExitStack, house: House, verdicts: int, seconds: float) -> None:
        env = stack.enter_context(house.installation())
        with program("seed_verdicts", str(verdicts), env=env) as seeding:
            seeded = seeding.hear()
        self.verdicts: int = seeded["verdicts"]
        self.run: int = seeded["run"]
        self._cookie = {"Cookie": f"sessionid={seeded['session']}"}
        web = stack.enter_context(serving(env, house.folder / "pages.log"))
        self._client: Program = stack.enter_context(
            program("client", str(web.port), str(seconds), "1", env=env)
        )
        self._client.hear()

    def p95(self, page: Page) -> float:
        """In milliseconds, asked one after the other."""
        headers = self._cookie | page.headers
        _, [heard] = turn(self._client, word=json.dumps({"path": page.path, "headers": headers}))
        return float(heard["p95"])


def measure(house: House) -> list[Figure]:
    """p95 of each page on the large installation, beside the small one."""
    few, many, seconds = (400, 4000, 0.5) if house.small else (10_000, 1_000_000, 3.0)
    with ExitStack() as stack:
        small, large = (Site(stack, house, verdicts, seconds) for verdicts in (few, many))
        pages = zip(_pages(large.run), _pages(small.run), strict=True)
        return [_figure(large, small, mine, theirs) for mine, theirs in pages]


def _pages(run: int) -> list[Page]:
    return [
        Page("Dashboard", "/dashboard/", {}, _BOUND, "`/dashboard/` of a lead."),
        Page(
            "Detail page",
            "/dashboard/panel/replies/",
            {},
            _BOUND[:1],
            "The certification page of one judge; it counts the rows behind it, and the golden set grows "
            "with the verdicts, from 250 rows to 25 000.",
        ),
        Page("Runs, list", "/runs/", {}, (), "`/runs/`: it counts how far each run is."),
        Page(
            "Run, poll",
            f"/runs/{run}/",
            _AS_HTMX,
            (),
            "The progress of a run with four fifths of the verdicts.",
        ),
    ]


def _figure(large: Site, small: Site, mine: Page, theirs: Page) -> Figure:
    asks = {"small": partial(small.p95, theirs), "large": partial(large.p95, mine)}
    in_turns(1, asks)
    taken = in_turns(ROUNDS, asks)
    return Figure(
        name=f"{mine.name}, p95",
        unit="ms",
        values=taken["large"],
        baselines=taken["small"],
        meaning=f"{mine.about} With {large.verdicts} verdicts stored, asked again and again by one reader.",
        against=f"the same with {small.verdicts} verdicts stored",
        targets=mine.targets,
    )
