"""Every address of the site, built from its URL list, and what a reader is sent there.

A new route is walked without anybody thinking of it; one with a part that nobody knows a value for fails.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from judging.models import Run
from labeling.models import Candidate, Label

# Asked of every page that there is; a page takes no notice of what it does not know.
QUERIES = [
    "page=2",
    "page=last",
    "version=1",
    "truth=pass",
    "truth=fail",
    "truth=unresolved",
    "truth=none",
    "split=tune",
    "verdict=pass",
    "text=others",
    "text=Hello",
    "order=verdict&sort=truth",
    "page=none&version=none",
]
# What each visit has of its own: a secret of the session, and the numbers and words of one's newest labels.
OF_THE_VISIT = re.compile(
    r'name="csrfmiddlewaretoken" value="\w+"|x-csrftoken[^}]*|name="undo" value="\w+"|/history/\d+/'
)
OF_THE_CLOCK = {"Expires", "Last-Modified", "Set-Cookie"}


def routes(resolver: URLResolver | None = None, before: str = "") -> Iterator[str]:
    """Every address below `resolver` as it is written in its URL list."""
    for entry in (resolver or get_resolver()).url_patterns:
        route = before + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from routes(entry, route)
        elif isinstance(entry, URLPattern):
            yield route


def address(route: str, row: Candidate, own: Label | None) -> str:
    """The address of that route for `row`, its set, the judge `strict`, its run and one's `own` label."""
    key = row.pk
    if route.startswith("runs/"):
        key = Run.objects.latest("pk").pk
    elif "history/<int:pk>" in route:
        key = own.pk if own else 0
    known: dict[str, Any] = {
        "slug": "strict" if route.startswith("judges/") else "replies",
        "criteria": "replies",
        "judge": "strict@1" if route.startswith("api/") else "strict",
        "pk": key,
        "id": row.pk,
        "candidate_id": row.pk,
        "object_id": row.pk,
        "content_type_id": 1,
        "number": 1,
        "message": 1,
        "drill": 1,
        "field": "output",
        "cell": "a",
        "kind": "model",
        "app_label": "labeling",
        "url": "labeling",
    }

    def value(found: "re.Match[str]") -> str:
        name = found.group(1) or found.group(2)
        assert name in known, f"What is “{name}” in {route}? Say so here, lest nobody looks at the page."
        return str(known[name])

    filled = re.sub(r"<(?:\w+:)?(\w+)>|\(\?P<(\w+)>[^)]*\)", value, route)
    return "/" + filled.translate(str.maketrans("", "", "^$?\\"))


def said(answer: Any) -> str:
    """Status, headers and body, without what every visit has of its own."""
    headers = sorted(item for item in answer.headers.items() if item[0] not in OF_THE_CLOCK)
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return OF_THE_VISIT.sub("", f"{answer.status_code}\n{headers}\n{body.decode('utf-8', 'replace')}")


def walk(
    client: Client,
    rows: list[Candidate],
    own: Label | None = None,
    below: str = "",
    queries: Sequence[str] = QUERIES,
) -> Iterator[tuple[str, str]]:
    """What is sent at every address `below` a path, for each of `rows` that it is about, with every query."""
    for route in routes():
        for place in sorted({address(route, row, own) for row in rows}):
            if not place.startswith(f"/{below}"):
                continue
            answer = client.get(place)
            yield place, said(answer)
            if answer.status_code != 200:
                continue
            yield f"{place} in part", said(client.get(place, headers={"HX-Request": "true"}))
            for query in queries:
                yield f"{place}?{query}", said(client.get(f"{place}?{query}"))


def differing(*worlds: dict[str, str]) -> list[str]:
    """The addresses at which these worlds are not the same to the byte."""
    assert all(list(world) == list(worlds[0]) for world in worlds)
    places = [place for place in worlds[0] if len({world[place] for world in worlds}) > 1]
    return [f"{place}: {first_difference([world[place] for world in worlds])}" for place in places]


def first_difference(pages: list[str]) -> str:
    """The first line that is not the same in all of these pages, as each has it."""
    lines = next(lines for lines in zip_longest(*map(str.splitlines, pages)) if len(set(lines)) > 1)
    return " | ".join((line or "").strip()[:160] for line in lines)
