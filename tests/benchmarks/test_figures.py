"""What is made of measurements, before anybody reads it."""

import pytest

from tests.benchmarks.__main__ import PARTS, verdict
from tests.benchmarks.figures import Figure, Target, in_turns, percentile
from tests.benchmarks.page import page, with_table
from tests.benchmarks.table import meanings_of, table_of

FASTER = Target("ratio", "at most", 1.33)


def figure(*values: float, baselines: tuple[float, ...] = (), targets: tuple[Target, ...] = ()) -> Figure:
    return Figure("Run", "s", values, "A run.", baselines, "nothing else", targets)


def test_a_round_that_was_slow_for_both_leaves_the_ratio_alone() -> None:
    disturbed = figure(12.0, 50.0, 12.0, baselines=(10.0, 40.0, 10.0))

    assert disturbed.ratio == pytest.approx(1.2)
    assert disturbed.value == 12.0


def test_a_target_is_met_up_to_its_limit() -> None:
    at, above = (figure(value, baselines=(1.0,), targets=(FASTER,)) for value in (1.33, 1.34))

    assert (at.met, above.met, figure(1.0).met) == (True, False, None)


def test_every_target_of_a_figure_counts() -> None:
    slow = Target("value", "at most", 200)

    assert figure(240.0, baselines=(239.0,), targets=(FASTER, slow)).met is False


def test_rounds_take_turns() -> None:
    heard: list[str] = []

    def say(word: str) -> int:
        heard.append(word)
        return len(heard)

    taken = in_turns(2, {"ours": lambda: say("ours"), "theirs": lambda: say("theirs")})

    assert heard == ["ours", "theirs", "ours", "theirs"]
    assert taken == {"ours": (1, 3), "theirs": (2, 4)}


def test_a_percentile_is_a_value_that_was_measured() -> None:
    values = [float(value) for value in range(1, 101)]

    assert (percentile(values, 95), percentile(values, 99), percentile([7.0], 99)) == (95.0, 99.0, 7.0)


def test_a_missed_target_is_written_and_fails_the_run() -> None:
    missed = figure(15.0, baselines=(10.0,), targets=(FASTER,))

    assert "| Run | 15.0 s | 10.0 s | 1.50 × | ≤ 1.33 × | **no** |" in table_of([missed])
    assert (verdict([[missed]]), verdict([[figure(1.0)]]), verdict([None])) == (1, 0, 1)


def test_the_page_says_which_part_could_not_be_measured() -> None:
    written = page("Measured somewhere.", {"run": [figure(1.0)], "import": None})

    assert "Measured somewhere." in written
    assert "- **Run**: A run." in written
    assert written.endswith("## Import\n\n*This part could not be measured; `make bench` says why.*\n")
    assert list(PARTS) == ["run", "scale", "layer1", "serving", "pages", "import", "queue", "calls", "peers"]


def test_where_the_time_goes_is_told_where_a_target_is_missed() -> None:
    missed, met = (
        Figure("Run", "s", (value,), "A run.", (1.0,), "aiohttp", (FASTER,), "In the client.")
        for value in (2.0, 1.0)
    )

    assert meanings_of([missed]) == "- **Run**: A run. Baseline: aiohttp. What falls short: In the client."
    assert meanings_of([met]) == "- **Run**: A run. Baseline: aiohttp."
    assert meanings_of([met, met]) == "- **Run**; **Run**: A run. Baseline: aiohttp."


def test_the_table_of_the_readme_is_put_between_its_marks() -> None:
    readme = "# Vera\n\n<!-- figures of make bench -->\nold\n<!-- end of the figures -->\n\nMore.\n"
    aimed = figure(1.0, baselines=(1.0,), targets=(FASTER,))

    written = with_table(readme, "On this machine.", {"run": [aimed], "import": None})

    assert written.startswith("# Vera\n\n<!-- figures of make bench -->\n\nOn this machine.\n\n| Figure |")
    assert "| Run | 1.00 s |" in written
    assert "old" not in written
    assert written.endswith("\n\n<!-- end of the figures -->\n\nMore.\n")
