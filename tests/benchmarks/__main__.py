"""`make bench`: measure every part, print it, write docs/benchmarks.md and the README's table.

Exit 1: a target is missed or a part failed; the others are measured and written all the same. 2: no servers.
"""

import argparse
import signal
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests.benchmarks import calls, imports, layer1, pages, queue, rivals, scale, serving, wall
from tests.benchmarks.figures import Figure
from tests.benchmarks.house import House, open_house
from tests.benchmarks.machine import origin
from tests.benchmarks.page import page, with_table
from tests.benchmarks.table import table_of
from tests.faults.servers import ROOT

PAGE, README = ROOT / "docs" / "benchmarks.md", ROOT / "README.md"
PARTS: dict[str, Callable[[House], list[Figure]]] = {
    "run": wall.measure,
    "scale": scale.measure,
    "layer1": layer1.measure,
    "serving": serving.measure,
    "pages": pages.measure,
    "import": imports.measure,
    "queue": queue.measure,
    "calls": calls.measure,
    "peers": rivals.measure,
}
_LONGEST, _LONGEST_FULL = 600, 3600  # seconds for one part


def say(words: str) -> None:
    sys.stdout.write(f"{time.strftime('%H:%M:%S')} {words}\n")
    sys.stdout.flush()


def measured(name: str, house: House) -> list[Figure] | None:
    """The figures of one part; None where it failed, which is printed."""
    say(f"{name} …")
    began = time.monotonic()
    signal.alarm(_LONGEST_FULL if house.full else _LONGEST)
    try:
        figures = PARTS[name](house)
    except Exception:
        traceback.print_exc()
        say(f"{name} failed; the others go on.\n{house.last_words(time.monotonic() - began)}")
        return None
    finally:
        signal.alarm(0)
    say(f"{name}, {time.monotonic() - began:.0f} seconds\n\n{table_of(figures)}\n")
    return figures


def verdict(results: Sequence[list[Figure] | None]) -> int:
    """The exit code: 1 where a target is missed or a part failed."""
    fine = all(figures is not None and all(f.met is not False for f in figures) for figures in results)
    return 0 if fine else 1


def _stop(*_: Any) -> None:
    """End on SIGTERM as on Ctrl-C: with all that was started."""
    raise KeyboardInterrupt


def _too_long(*_: Any) -> None:
    raise TimeoutError("It was not done in the time that one part may take.")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=["", *PARTS], default="", help="this part alone; writes no page")
    parser.add_argument("--small", action="store_true", help="tiny sizes, figures without meaning, no page")
    parser.add_argument("--full", action="store_true", help="also runs over 100 000 rows: half an hour more")
    options = parser.parse_args()
    wanted = [options.only] if options.only else list(PARTS)
    signal.signal(signal.SIGTERM, _stop)
    signal.signal(signal.SIGALRM, _too_long)
    try:
        with open_house(options.small, options.full) as house:
            results = {name: measured(name, house) for name in wanted}
    except pytest.skip.Exception as missing:
        say(f"Nothing was measured: {missing.msg}.")
        return 2
    except KeyboardInterrupt:
        say("Stopped; all that was started has ended.")
        return 130
    if not options.only and not options.small:
        where = origin()
        PAGE.write_text(page(where, results), encoding="utf-8")
        README.write_text(with_table(README.read_text("utf-8"), where, results), encoding="utf-8")
        say(f"Written to {PAGE.relative_to(ROOT)} and {README.name}.")
    return verdict(list(results.values()))


if __name__ == "__main__":
    sys.exit(main())
