"""People with people: how far two labelers agree beyond chance."""

from collections import Counter
from collections.abc import Hashable, Iterable

from labeling.domain.agreement import Undefined


def pair_kappa(verdicts: Iterable[tuple[Hashable, Hashable]]) -> float:
    """Cohen's kappa of two labelers over the rows that both labelled, for any set of words (Cohen 1960).

    One pair (first labeler's word, second's) per row. Raises Undefined without rows, and where both used
    one and the same word throughout.
    """
    pairs = list(verdicts)
    first, second = Counter(x for x, _ in pairs), Counter(y for _, y in pairs)
    agreed = sum(x == y for x, y in pairs)
    by_chance = sum(count * second[word] for word, count in first.items())
    n = len(pairs)
    if by_chance == n * n:
        raise Undefined("The two labelers share no rows, or use one word throughout: kappa is undefined.")
    return (n * agreed - by_chance) / (n * n - by_chance)
