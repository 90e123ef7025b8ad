"""Panels that follow their members: a juror's new version makes a new version, a draft, of its panels."""

from django.db import transaction

from judging.models import JudgeVersion
from judging.services.judges import with_jurors, write_panel
from labeling.access import AnyUser


@transaction.atomic
def follow_member(
    *, version: JudgeVersion, actor: AnyUser | None, besides: frozenset[str] = frozenset()
) -> list[JudgeVersion]:
    """The drafts of panels in which `version` takes the seat of the version before it; none closes a gate.

    A panel that sits at another version of this juror was told to, and is left alone, as are those with the
    slugs `besides`.
    """
    before = version.judge.versions.filter(number__lt=version.number).order_by("-number").first()
    if before is None:
        return []
    seated = JudgeVersion.objects.filter(seats__juror=before).exclude(judge__slug__in=besides)
    panels = with_jurors(seated.order_by("judge__slug"))
    return [_with(panel, before, version, actor) for panel in panels if _is_newest(panel)]


def _is_newest(panel: JudgeVersion) -> bool:
    return not panel.judge.versions.filter(number__gt=panel.number).exists()


def _with(
    panel: JudgeVersion, before: JudgeVersion, after: JudgeVersion, actor: AnyUser | None
) -> JudgeVersion:
    members = [after if juror.pk == before.pk else juror for juror in panel.jurors()]
    return write_panel(panel.judge.slug, members, panel.on_split, actor)
