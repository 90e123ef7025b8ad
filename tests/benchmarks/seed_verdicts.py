"""An installation with so many verdicts stored: `python -m tests.benchmarks.seed_verdicts VERDICTS`.

By INSERT … SELECT, then vacuumed and analysed. A panel of three jurors has two calibration
runs over a golden set, with a fifth of the verdicts together, and one scoring run, nearly done, with all the
others: everything grows alike. Prints as JSON the session of a lead and the number of the scoring run.
"""

import sys
from datetime import timedelta
from typing import Any, NamedTuple

import django

django.setup()

from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY  # noqa: E402
from django.contrib.auth.models import User  # noqa: E402
from django.contrib.sessions.backends.db import SessionStore  # noqa: E402
from django.db import connection  # noqa: E402
from django.db.models import Case, DateTimeField, F, Value, When  # noqa: E402
from django.db.models.expressions import CombinedExpression  # noqa: E402
from django.db.models.lookups import Exact  # noqa: E402
from django.utils import timezone  # noqa: E402

from judging.models import JudgeVersion, Run, Verdict  # noqa: E402
from judging.services.certification import certify_run  # noqa: E402
from judging.services.writing import insert_verdicts  # noqa: E402
from labeling.models import Candidate, CriteriaSet, Membership  # noqa: E402
from tests.benchmarks.programs import answer  # noqa: E402
from tests.factories import live, make_criteria_set, make_judge, make_panel, make_user  # noqa: E402

JURORS = 3
_CANDIDATES = """
INSERT INTO labeling_candidate (criteria_set_id, request, output, grounding, criteria_text, content_hash,
    request_hash, split, created_at)
WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < %s)
SELECT %s, 'Say hello to customer ' || n, 'Hello, customer ' || n || '. Your order has been shipped.', '', '',
    n || %s, n || %s, 'certify', CURRENT_TIMESTAMP
FROM numbers
"""
_RULINGS = """
INSERT INTO labeling_ruling (candidate_id, version_id, verdict, reason, blind, source, created_at)
SELECT id, %s, CASE WHEN id %% 3 = 0 THEN 'fail' ELSE 'pass' END, '', true, 'import', CURRENT_TIMESTAMP
FROM labeling_candidate WHERE criteria_set_id = %s
"""
_REST_OF_HASH = "f" * 56


class Seeded(NamedTuple):
    """The session of a lead, the id of the scoring run, and how many verdicts there are."""

    session: str
    run: int
    verdicts: int


def execute(statement: str, *parameters: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters or None)


def make_rows(criteria_set: CriteriaSet, number: int, *, golden: bool) -> None:
    """So many candidates, every third one bad; each with a ruling that says so where they are golden."""
    execute(_CANDIDATES, number, criteria_set.pk, _REST_OF_HASH, _REST_OF_HASH)
    if golden:
        execute(_RULINGS, live(criteria_set).pk, criteria_set.pk)


def make_run(panel: JudgeVersion, criteria_set: CriteriaSet, kind: str) -> Run:
    """A run over all rows of the set, with the verdicts of the panel and its jurors.

    A calibration is finished; of a scoring run one row in a thousand is still pending.
    """
    done = {"state": "finished", "finished_at": timezone.now()} if kind == "calibration" else {}
    run = Run.objects.create(judge_version=panel, criteria_version=live(criteria_set), kind=kind, **done)
    rows = Candidate.objects.filter(criteria_set=criteria_set)
    named = {"candidate_id": F("pk"), "candidate_hash": F("content_hash")}
    insert_verdicts(rows, **_verdicts(run, panel, "panel", F("pk")), **named)
    above = Verdict.objects.filter(run=run, kind="panel")
    beneath = {name: F(name) for name in ("candidate_id", "candidate_hash")} | {"panel_verdict_id": F("pk")}
    for juror in panel.jurors():
        insert_verdicts(above, **_verdicts(run, juror, "juror", F("candidate_id")), **beneath)
    return run


def _verdicts(run: Run, judge: JudgeVersion, kind: str, candidate: F) -> dict[str, Any]:
    """Columns of verdicts by a judge that errs on one row in twenty and is silent on one in fifty."""
    silent = Exact(candidate % 50, 7)
    pending = [When(Exact(candidate % 1000, 5), then=Value("pending"))] if run.kind == "scoring" else []
    unfilled = [When(Exact(candidate % 1000, 5), then=Value(None))] if run.kind == "scoring" else []
    bad: CombinedExpression = candidate % 3
    return {
        "run_id": run.pk,
        "judge_version_id": judge.pk,
        "kind": kind,
        "outcome": Case(
            *pending,
            When(silent, then=Value("skipped")),
            When(
                Exact(candidate % 20, 1),
                then=Case(When(Exact(bad, 0), then=Value("pass")), default=Value("fail")),
            ),
            When(Exact(bad, 0), then=Value("fail")),
            default=Value("pass"),
        ),
        "reason": Case(When(silent, then=Value("timeout")), default=Value("")),
        "filled_at": Case(*unfilled, default=Value(timezone.now()), output_field=DateTimeField()),
        "answered_model": "scripted",
        "prompt_tokens": 100,
        "completion_tokens": 20,
        "calls": 1,
        "raw_reply": "x" * 200,
    }


def session_of(user: User) -> str:
    """The key of a session in which the user is logged in."""
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.set_expiry(timedelta(days=1))
    session.save()
    return str(session.session_key)


def seed(verdicts: int) -> Seeded:
    """Store about so many verdicts."""
    rows = verdicts // (JURORS + 1)
    panel = make_panel([make_judge(f"juror-{name}") for name in "abc"], "panel")
    golden, others = make_criteria_set("replies"), make_criteria_set("others")
    lead = make_user("lead", lead_of=golden)
    Membership.objects.create(user=lead, criteria_set=others, role="lead")
    make_rows(golden, rows // 10, golden=True)
    make_rows(others, rows - 2 * (rows // 10), golden=False)
    execute("ANALYZE")
    for _ in range(2):
        certify_run(run=make_run(panel, golden, "calibration"))
    scoring = make_run(panel, others, "scoring")
    return Seeded(session_of(lead), scoring.pk, Verdict.objects.count())


def main() -> None:
    seeded = seed(int(sys.argv[1]))
    execute("VACUUM ANALYZE")
    answer(seeded._asdict())


if __name__ == "__main__":
    main()
