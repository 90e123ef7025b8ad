"""Model families: models of one family err together, and none is independent of its own family's answers."""

from collections.abc import Iterable


def family_key(family: str) -> str:
    """What two spellings of one family have in common: “Open AI” and “openai” are the same."""
    return "".join(family.split()).casefold()


def shared_family_words(jurors: Iterable[tuple[str, str]]) -> list[str]:
    """A warning for each family that several jurors, given as (name, family), belong to."""
    seated: dict[str, list[tuple[str, str]]] = {}
    for name, family in jurors:
        seated.setdefault(family_key(family), []).append((name, family))
    return [
        f"{_listed(names)} are of one family, {alike[0][1].strip()}. "
        "Models of one family tend to err together, so they count for little more than one juror."
        for key, alike in seated.items()
        if key and len(names := list(dict.fromkeys(name for name, _ in alike))) > 1
    ]


def own_family_words(juror: str, own: int, rows: int) -> str:
    """A warning where a juror's own family wrote `own` of the `rows`."""
    were = "row was" if rows == 1 else "rows were"
    about = "verdict about it is" if own == 1 else "verdicts about them are"
    return (
        f"{own:,} of {rows:,} {were} written by a model of {juror}'s own family: its {about} not independent."
    )


def _listed(names: list[str]) -> str:
    return ", ".join(names[:-1]) + " and " + names[-1]
