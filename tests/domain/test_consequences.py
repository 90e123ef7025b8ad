import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from judging.domain.consequences import consequences, rests_on, sentences, share
from labeling.domain.agreement import Table, recall
from labeling.domain.verdicts import HumanVerdict
from tests.domain.tables import nonempty_tables

counts = st.integers(0, 300)


def claims(table: Table) -> list[str]:
    return [sentence.claim for sentence in sentences(table)]


def doubts(table: Table) -> list[str]:
    return [sentence.doubt for sentence in sentences(table)]


def test_errors_are_counted_out_of_a_hundred() -> None:
    table = Table(36, 4, 2, 18)  # lets 38 through, 2 of them bad; 40 are good, 20 are bad

    assert claims(table) == [
        "Of 100 outputs it lets through, about 5 are bad.",
        "Of 100 good outputs it refuses about 10.",
        "Of 100 bad outputs it catches about 90.",
    ]


def test_the_interval_is_rounded_outwards_and_says_what_was_seen() -> None:
    # Clopper–Pearson: 2/38 is 0.64–17.75 %, 4/40 is 2.79–23.66 %, 18/20 is 68.30–98.77 %.
    assert doubts(Table(36, 4, 2, 18)) == [
        "Anything from 0 to 18 is possible: 2 of 38 rows were so.",
        "Anything from 2 to 24 is possible: 4 of 40 rows were so.",
        "Anything from 68 to 99 is possible: 18 of 20 rows were so.",
    ]


def test_nothing_seen_is_not_nothing_there() -> None:
    passed, good, bad = sentences(Table(23, 0, 0, 5))

    assert passed.claim == "It let 23 rows through and none was bad."
    assert passed.doubt == "Up to 15 of 100 cannot be ruled out."  # 1 − .025^(1/23) = 14.8 %
    assert good.claim == "Of 23 good rows it refused none."
    assert bad.claim == "Of 5 bad rows it caught every one."
    assert bad.doubt == "As few as 47 of 100 cannot be ruled out."  # .025^(1/5) = 47.8 %


@pytest.mark.parametrize(
    ("table", "place", "word"),
    [
        (Table(0, 3, 0, 4), 0, "let no row through"),
        (Table(0, 0, 3, 4), 1, "no row good"),
        (Table(3, 4, 0, 0), 2, "no row bad"),
    ],
)
def test_an_empty_class_is_said_in_words_without_a_number(table: Table, place: int, word: str) -> None:
    found = sentences(table)[place]

    assert word in found.claim
    assert not re.search(r"\d", found.claim + found.doubt)


def test_what_was_seen_is_never_rounded_away() -> None:
    assert claims(Table(999, 1, 1, 999))[:2] == [
        "Of 100 outputs it lets through, fewer than 1 is bad.",
        "Of 100 good outputs it refuses fewer than 1.",
    ]
    assert claims(Table(99, 1, 1, 999))[2] == "Of 100 bad outputs it catches more than 99."


def test_one_in_a_hundred_is_one() -> None:
    assert claims(Table(99, 1, 1, 9))[0] == "Of 100 outputs it lets through, about 1 is bad."


def test_the_words_say_what_they_rest_on() -> None:
    assert rests_on(Table(25, 4, 3, 17), skipped=2) == (
        "This holds if live outputs are like the golden rows: 49 rows, 29 of them good (59%). "
        "On 2 more the judge gave no verdict."
    )
    assert "nothing can be said" in rests_on(Table(0, 0, 0, 0))
    assert "(under 1%)" in rests_on(Table(1, 0, 0, 999))
    assert "(over 99%)" in rests_on(Table(999, 0, 0, 1))


@given(counts, counts)
def test_the_interval_is_that_of_scipy(seen: int, others: int) -> None:
    found = share(seen, seen + others)

    if found is None:
        assert seen + others == 0
        return
    exact = binomtest(seen, seen + others).proportion_ci(0.95, method="exact")
    assert (found.low, found.high) == pytest.approx((exact.low, exact.high), abs=1e-9)
    assert found.low <= found.per_hundred / 100 <= found.high


@given(nonempty_tables)
def test_catching_the_bad_is_the_recall_of_fails(table: Table) -> None:
    caught = consequences(table).caught_of_bad

    if table.n_fail:
        assert caught is not None
        expected = recall(table, HumanVerdict.FAIL)
        assert (caught.low, caught.high) == pytest.approx((expected.low, expected.high), abs=1e-9)
    else:
        assert caught is None


@given(nonempty_tables)
def test_every_number_of_a_claim_lies_within_its_doubt(table: Table) -> None:
    for sentence in sentences(table):
        about = re.search(r"about (\d+)", sentence.claim)
        ends = re.search(r"from (\d+) to (\d+)", sentence.doubt)
        if about and ends:
            assert int(ends[1]) <= int(about[1]) <= int(ends[2])
        assert bool(about) <= bool(ends)


@given(nonempty_tables)
def test_more_rows_of_the_same_kind_leave_less_doubt(table: Table) -> None:
    tenfold = Table(*(10 * cell for cell in (table.a, table.b, table.c, table.d)))

    few, many = consequences(table).bad_among_passed, consequences(tenfold).bad_among_passed

    if few is not None and many is not None:
        assert few.low <= many.low
        assert many.high <= few.high
