"""The live audit: of what judges score day by day, a share goes to people too, blind.

Which rows are drawn depends on their content alone, and on which rows were judged at all; never on what was
said of them. So a labeler learns nothing from the order, and rows that certify judges stay a fair sample.
"""

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from judging.domain.reasons import KILLED, SkipReason
from judging.models import Run, Verdict
from labeling.access import AnyUser
from labeling.models import Candidate, Draw, DrawnRow, Label, Ruling
from labeling.models.candidates import CandidateQuerySet
from labeling.services.audit import record
from labeling.services.draws import draw_audit, draw_some
from labeling.services.queue import bring_forward

SAMPLE = 20  # rows that a lead sends to people at once
_NOT_ASKED = (KILLED, SkipReason.CANCELLED, SkipReason.BUDGET_SPENT)


class NothingToSend(ValueError):
    """No row of the run can be sent to people; the message is a sentence."""


def draw_for_audit(*, run: Run) -> Draw | None:
    """Send the audit share of a scoring run's live rows to people, once; None for other runs and for none.

    Called in the transaction that ends or cancels the run.
    """
    if run.kind != Run.Kind.SCORING:
        return None
    return draw_audit(
        version=run.criteria_version, judge=str(run.judge_version), frame=_hashed(live_rows(run))
    )


@transaction.atomic
def sample_to_people(*, run: Run, actor: AnyUser, most: int = SAMPLE) -> Draw:
    """Send so many rows of a scoring run to people, at random: those that nobody has labelled or drawn yet.

    Raises `NothingToSend`.
    """
    if run.kind != Run.Kind.SCORING:
        raise NothingToSend("Rows of this run have their labels already. Send rows of a scoring run.")
    open_rows = live_rows(run).unlabelled(run.criteria_version).exclude(Exists(_drawn(run)))
    judge = str(run.judge_version)
    seed = f"sample:{run.pk}"
    draw = draw_some(
        version=run.criteria_version, judge=judge, frame=_hashed(open_rows), most=most, seed=seed, actor=actor
    )
    if draw is None:
        raise NothingToSend("Every row of this run is with people already, or has been labelled.")
    return draw


@transaction.atomic
def send_row(*, run: Run, candidate_id: int, actor: AnyUser) -> None:
    """Send one row of a run to people: to the top of the labeling queue, logged.

    Only a row for tuning: chosen by hand, a row of the `certify` split would no longer be a fair sample.
    Raises `NothingToSend`.
    """
    row = Candidate.objects.filter(pk=candidate_id, verdicts__run=run).first()
    if row is None:
        raise NothingToSend("There is no such row in this run.")
    if row.split != Candidate.Split.TUNE:
        raise NothingToSend(
            "This row certifies judges, and rows chosen by hand would make a judge look better or worse than "
            "it is. It keeps its place in the queue. Send rows at random instead."
        )
    if not bring_forward(version=run.criteria_version, candidate_ids=[row.pk]):
        raise NothingToSend("People have settled this row, or it stands first in the queue already.")
    record(
        actor=actor,
        action="row_sent_to_people",
        subject=str(row),
        criteria_set=run.criteria_version.criteria_set,
        run=run.pk,
        candidate=row.pk,
    )


def live_rows(run: Run) -> CandidateQuerySet:
    """The rows of a run that nobody had labelled or ruled on when it began, whatever was said of them.

    Without those about which no judge was asked, so that no label could check it: killed by Layer 1, which
    their content alone tells, or left when the run was cancelled, which goes by their turn.
    """
    own = Verdict.objects.own().filter(run=run, repeat=0, candidate=OuterRef("pk"))
    own = own.exclude(reason__in=_NOT_ASKED)
    before = {"candidate": OuterRef("pk"), "version": run.criteria_version_id}
    before |= {"created_at__lt": run.created_at}
    return CandidateQuerySet(Candidate).filter(
        Exists(own),
        ~Exists(Label.objects.current().filter(**before)),
        ~Exists(Ruling.objects.current().filter(**before)),
    )


def _hashed(candidates: QuerySet[Candidate]) -> QuerySet[Candidate, tuple[int, str]]:
    return candidates.order_by().values_list("pk", "content_hash")


def _drawn(run: Run) -> QuerySet[DrawnRow]:
    return audit_rows(str(run.judge_version), run.criteria_version_id).filter(candidate=OuterRef("pk"))


def audit_rows(judge: str, criteria_version_id: int) -> QuerySet[DrawnRow]:
    """Rows that were drawn to check `judge`, written as slug@version."""
    audits = {"draw__strategy": Draw.Strategy.AUDIT, "draw__judge": judge}
    return DrawnRow.objects.filter(**audits, draw__version=criteria_version_id)
