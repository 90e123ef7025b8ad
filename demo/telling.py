"""What the demo says in the terminal once it runs: the story in the order of its page, and shorter."""

from demo.example import LENIENT, LOGINS, PANEL, STORY, is_certified
from demo.story import nothing, story_set, what_was_killed, what_was_said, what_was_spared

GUIDE = """
Vera is at {address}

  Log in there, one click each, as
{logins}

  The story, at {address}/demo/ as the lead
{story}
  Beside it, on the panel's own pages, at {address}/dashboard/review-panel/meeting-summaries/
    Order (of reference sets, and what the draft breaks), Drift, Pass rates, By criterion, Panel, Report

  Then label fifty yourself: {address}/sets/meeting-summaries/label/ (1 pass, 2 fail, u undo, ? all keys)

  What an agent or a pipeline reads
    AUTH='Authorization: Bearer {token}'
    API={address}/api/v1
    curl -H "$AUTH" $API/certifications/review-panel/meeting-summaries
{gates}

  Scripted: what the jurors answer; a small server of the demo answers in place of models.
  Real: requests, worker, database, statistics and gate.
  Ctrl-C stops everything.
"""


def guide(address: str, token: str) -> str:
    """Where to log in, the story and the addresses of the API."""
    lines = {"logins": _login_lines(), "story": _story_lines(), "gates": _gate_lines()}
    return GUIDE.format(address=address, token=token, **lines)


def _login_lines() -> str:
    return "\n".join(f"    {login.name:<8} / {login.password:<13} {login.role}" for login in LOGINS)


def _story_lines() -> str:
    """The stations of the story in a line each, with the figures of the database."""
    criteria_set = story_set()
    panel, lenient = what_was_said(PANEL, nothing), what_was_said(LENIENT, nothing)
    if not (criteria_set and criteria_set.live_version and panel and lenient):
        return "    (the example was changed since)"
    spared = what_was_spared(criteria_set.live_version)
    unsent = f"; {spared.killed} of them were never sent to a model" if spared else ""
    killed, table = what_was_killed(criteria_set.live_version), panel.certificate.calibration.table
    refused = lenient.certificate.calibration
    return "\n".join(
        [
            f"    1. Killed for free: {len(killed.kills)} of {killed.rows} outputs are evidently broken"
            f"{unsent}.",
            f"    2. The panel said: {table.a + table.c} pass, {table.b + table.d} fail, "
            f"{panel.certificate.calibration.skipped} without a verdict.",
            f"    3. It disagreed with people on {panel.disagreements} of {table.n} rows: "
            f"kappa {panel.certificate.shown_kappa}, {panel.standing.status}.",
            f"    4. {lenient.standing.judge_version.judge.slug} passes {refused.c} of "
            f"{refused.table.n_fail} rows that people fail: "
            f"kappa {lenient.certificate.shown_kappa}, {lenient.standing.status}.",
        ]
    )


def _gate_lines() -> str:
    """The gates of the example; what people did since may have changed how a judge stands."""
    return "\n".join(
        f'    curl --fail -H "$AUTH" $API/gate/{judge}/{STORY}'
        f"  # exits {'0: certified' if is_certified(judge, STORY) else '22: not'}"
        for judge in ("review-panel", "agreeable")
    )
