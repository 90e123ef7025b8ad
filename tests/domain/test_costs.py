"""What a decision costs, and that what nobody knows is never nothing."""

from decimal import Decimal

from judging.domain.costs import Cost, Spent, per_decision, saved


def test_a_panel_costs_what_its_jurors_cost_together() -> None:
    # 100 rows: one juror at $0.001 and two at $0.002 a reply.
    spent = Spent(Decimal("0.50"), priced=300, unpriced=0)

    assert per_decision(spent, 3) == Cost(Decimal("0.005"), at_least=False)
    assert per_decision(Spent(Decimal(0), 40, 0), 1) == Cost(
        Decimal(0), at_least=False
    )  # a server of one's own


def test_replies_without_a_price_leave_a_lower_limit() -> None:
    assert per_decision(Spent(Decimal("0.20"), 100, 100), 2) == Cost(Decimal("0.002"), at_least=True)


def test_without_any_price_there_is_no_cost() -> None:
    assert per_decision(Spent(Decimal(0), 0, 90), 3) is None
    assert per_decision(Spent(Decimal(0), 0, 0), 3) is None


def test_spared_questions_save_what_their_jurors_cost() -> None:
    assert saved([0, 2, 5], [None, Decimal("0.1"), Decimal("0.01")]) == Decimal("0.25")
    assert saved([0, 2, 5], [Decimal(1), Decimal("0.1"), None]) is None
    assert saved([], []) == 0
