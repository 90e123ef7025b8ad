"""How figures are written in sentences."""


def many(number: int, thing: str) -> str:
    """So many of a thing whose plural ends in s: "1 row", "1,200 rows"."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
