"""Model calls per live decision of a recorded panel: everybody asked, and what each way to ask less saves."""

from typing import Any

from tests.benchmarks.figures import Figure, Target
from tests.benchmarks.house import House
from tests.benchmarks.programs import program, turn
from tests.benchmarks.recorded import BROKEN_EVERY

_PRICE = "at 0.1 cents a call"
NAMES = {
    "all": "every juror asked about every row",
    "early stop": "early stop",
    "reuse": "early stop and reuse",
    "precheck": "early stop, reuse and precheck",
}


def measure(house: House) -> list[Figure]:
    """The same day of decisions in four ways, through the engine, answered as recorded."""
    requests = 6 if house.small else 100
    with (
        house.installation() as env,
        program("ask_recorded", str(requests), env=env | {"VERA_JUROR_HOSTS": "127.0.0.1"}) as day,
    ):
        day.hear()
        days = {mode: turn(day, word=mode)[1][0] for mode in NAMES}
    return [figure for mode in NAMES for figure in _figures(mode, days)]


def identical(day: dict[str, Any], full: dict[str, Any]) -> tuple[int, int]:
    """Of the decisions not left to Layer 1: how many came out as with everybody asked, of how many."""
    pairs = [
        (tuple(one), tuple(other))
        for part, whole in zip(day["said"], full["said"], strict=True)
        for one, other in zip(part, whole, strict=True)
        if one[1] != "not_asked"
    ]
    return sum(one == other for one, other in pairs), len(pairs)


def _figures(mode: str, days: dict[str, Any]) -> list[Figure]:
    day, full = days[mode], days["all"]
    baseline = mode != "all"
    per_decision = [
        Figure(
            name=f"{what} per decision, {NAMES[mode]}",
            unit=unit,
            values=(factor * day[key] / day["decisions"],),
            baselines=(factor * full[key] / full["decisions"],) if baseline else (),
            meaning=_meaning(day),
            against=NAMES["all"] if baseline else "",
            targets=(Target("ratio", "at most", 1),) if baseline else (),
        )
        for what, unit, key, factor in (("Model calls", "calls", "calls", 1), ("Cost", "cents", "cost", 100))
    ]
    return [*per_decision, _same(mode, day, full)] if baseline else per_decision


def _same(mode: str, day: dict[str, Any], full: dict[str, Any]) -> Figure:
    same, of = identical(day, full)
    killed = day["decisions"] - of
    spared = f" Layer 1 decided {killed} more, all of which every juror fails." if killed else ""
    return Figure(
        name=f"Verdicts as with everybody asked, {NAMES[mode]}",
        unit="verdicts",
        values=(float(same),),
        baselines=(float(of),),
        meaning=f"Decisions with the same outcome for the same reason.{spared}",
        against="all decisions that a juror was needed for",
        targets=(Target("ratio", "at least", 1),),
    )


def _meaning(day: dict[str, Any]) -> str:
    share = 100 * day["repeated"] / day["decisions"]
    return (
        f"{day['decisions']} outputs of one day, judged as they came by {day['source']}, a panel of three; "
        f"{share:.0f}% had come before word for word, one in {BROKEN_EVERY} is evidently broken. {_PRICE}."
    )
