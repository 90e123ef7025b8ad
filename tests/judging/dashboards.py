"""What the tests of the dashboard share: a judge with a certificate of now, and what a page says."""

import re
from typing import Any

from django.utils import timezone

from judging.models import Certificate, JudgeVersion
from labeling.models import CriteriaSet
from tests.judging.golden import certified, make_run

URL = "/dashboard/strict/replies/"


def text(answer: Any) -> str:
    """What an answer says, with its blanks as one."""
    return re.sub(r"\s+", " ", answer.content.decode())


def certify(judge: JudgeVersion, criteria_set: CriteriaSet, **cells: int) -> Certificate:
    run = make_run(judge, criteria_set, **cells)  # type: ignore[arg-type]
    run.finished_at = timezone.now()
    run.save()
    return certified(run, run.finished_at)
