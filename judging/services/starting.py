"""Starting a run once, however often somebody asks for it."""

from decimal import Decimal

from django.db import transaction

from judging.models import JudgeVersion, Run
from judging.services.certificates import lock
from judging.services.ordering import order_where_demanded
from judging.services.runs import Scope, start_run
from labeling.access import AnyUser
from labeling.models import CriteriaVersion


def kind_of(scope: Scope) -> str:
    """A run over tune rows or unlabelled ones alone is no calibration, so it never touches a certificate."""
    return Run.Kind.CALIBRATION if scope in ("certify", "all") else Run.Kind.SCORING


@transaction.atomic
def start_once(
    *,
    judge_version: JudgeVersion,
    criteria_version: CriteriaVersion,
    kind: str | None = None,
    scope: Scope = "certify",
    include_unlabelled: bool = False,
    max_calls: int | None = None,
    max_cost: Decimal | None = None,
    asks_all: bool | None = None,
    repeats: int = 1,
    most_rows: int | None = None,
    actor: AnyUser | None = None,
) -> tuple[Run, bool]:
    """A new run, or the one of the same kind that is at work for this judge and these criteria; and whether
    it is new.

    Without a `kind` the rows tell it, see `kind_of`; the other arguments are those of `start_run`. With a
    calibration whose policy demands it the judge is asked about the reference sets, too, in a run of its own.
    The caller tells the workers, on commit. Raises `CannotRun`.
    """
    kind = kind or kind_of(scope)
    lock(judge_version.pk)  # two who press at once take turns
    same = Run.objects.filter(judge_version=judge_version, criteria_version=criteria_version, kind=kind)
    if at_work := same.filter(state=Run.State.RUNNING).first():
        return at_work, False
    run = start_run(
        judge_version=judge_version,
        criteria_version=criteria_version,
        kind=kind,
        scope=scope,
        include_unlabelled=include_unlabelled,
        max_calls=max_calls,
        max_cost=max_cost,
        asks_all=asks_all,
        repeats=repeats,
        most_rows=most_rows,
        actor=actor,
    )
    order_where_demanded(run=run, actor=actor)
    return run, True
