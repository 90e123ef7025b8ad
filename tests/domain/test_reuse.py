"""When an earlier answer of a judge still holds, by its certificate."""

import pytest

from judging.domain.reuse import answers_stand


@pytest.mark.parametrize(
    ("status", "reasons", "stand"),
    [
        ("certified", [], True),
        ("uncertified", ["below_bar", "expired"], True),  # it would say the same again
        ("uncertified", ["below_bar", "drift_alarm"], False),
        ("certified", ["provider_model_changed"], False),
        ("suspended", [], False),
    ],
)
def test_answers_stand_while_nothing_says_that_the_judge_changed(
    status: str, reasons: list[str], stand: bool
) -> None:
    assert answers_stand(status, reasons) is stand
