"""What the bearer of an API token may see, and who may see judges and runs."""

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404

from judging.models import ApiToken, Run, Schedule
from labeling.access import AnyUser, is_lead, leads, visible_sets
from labeling.models import CriteriaSet


def token_sets(token: ApiToken) -> QuerySet[CriteriaSet]:
    """The criteria sets that `token` covers."""
    return CriteriaSet.objects.all() if token.every_criteria_set else token.criteria_sets.all()


def check_lead(user: AnyUser) -> None:
    """Judges and runs are a lead's business: 403 for labelers, 404 for who is a member of nothing."""
    if not visible_sets(user).exists() and not user.is_superuser:
        raise Http404("There is no such page.")
    if not is_lead(user) and not user.is_superuser:
        raise PermissionDenied("Only a lead of a criteria set may see judges and runs.")


def get_run(user: AnyUser, pk: int) -> Run:
    """A run on a criteria set that `user` leads; 403 for its labelers, 404 for everybody else."""
    runs = Run.objects.select_related("judge_version__judge", "criteria_version__criteria_set", "created_by")
    run = get_object_or_404(runs.filter(criteria_version__criteria_set__in=visible_sets(user)), pk=pk)
    if not leads(user, run.criteria_version.criteria_set):
        raise PermissionDenied("Only a lead of this criteria set may see its runs.")
    return run


def get_schedule(user: AnyUser, pk: int) -> Schedule:
    """A schedule of a criteria set that `user` leads; 403 for its labelers, 404 for everybody else."""
    schedules = Schedule.objects.select_related(
        "criteria_set__live_version", "judge__live_version", "created_by"
    )
    schedule = get_object_or_404(schedules.filter(criteria_set__in=visible_sets(user)), pk=pk)
    if not leads(user, schedule.criteria_set):
        raise PermissionDenied("Only a lead of this criteria set may see its schedules.")
    return schedule
