"""The checks in their order, and running them: the first that kills names itself."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from judging.domain.precheck.case import Case
from judging.domain.precheck.empty import empty_output
from judging.domain.precheck.failure import unmarked_failure
from judging.domain.precheck.leak import error_leak
from judging.domain.precheck.page import error_page
from judging.domain.precheck.raw_object import raw_object
from judging.domain.precheck.reasoning import unfinished_reasoning
from judging.domain.precheck.schema import schema_violation
from judging.domain.precheck.stop import stop_notice
from judging.domain.precheck.verdict import Kill, Layer1


@dataclass(frozen=True, slots=True)
class Check:
    """A named check. `examine` kills with a reason or returns None, which is to abstain."""

    name: str
    examine: Callable[[Case], Kill | None]


CHECKS: tuple[Check, ...] = tuple(
    Check(examine.__name__, examine)
    for examine in (
        empty_output,
        unmarked_failure,
        error_leak,
        schema_violation,
        error_page,
        stop_notice,
        unfinished_reasoning,
        raw_object,
    )
)


@dataclass(frozen=True, slots=True)
class PrecheckOutcome:
    """How Layer 1 ended. `check` and `reason` are set exactly when the verdict is KILL."""

    verdict: Layer1
    check: str | None
    reason: str | None
    checks_run: tuple[str, ...]


def run_precheck(case: Case, checks: Sequence[Check] = CHECKS) -> PrecheckOutcome:
    """Run the checks in order until one kills; otherwise abstain."""
    for number, check in enumerate(checks, start=1):
        if kill := check.examine(case):
            names = tuple(each.name for each in checks[:number])
            return PrecheckOutcome(Layer1.KILL, check.name, kill.reason, names)
    return PrecheckOutcome(Layer1.ABSTAIN, None, None, tuple(each.name for each in checks))
