"""A web process of its own: serves the API through WSGI, then prints which heavy libraries it has loaded.

Run as `python -m tests.judging.light_process` with an empty database.
"""

import sys
from collections.abc import Callable
from datetime import timedelta
from io import BytesIO
from typing import Any

from vera_site.wsgi import application

HEAVY = {"litellm", "sklearn", "statsmodels", "scipy", "numpy"}
PATHS = [
    "/api/v1/certifications/strict/replies",
    "/api/v1/certifications",
    "/api/v1/gate/strict/replies",
    "/api/v1/certifications/strict/replies/signed",
    "/.well-known/vera-signing-keys.json",
    "/api/v1/badge/strict/replies.svg",
    "/api/v1/badge/strict/replies.json",
    "/api/v1/openapi.json",
    "/api/v1/docs",
    "/healthz",
]


def prepare() -> str:
    """A certified judge without counting anything, and a token to ask about it."""
    from django.core.management import call_command
    from django.utils import timezone

    from judging.models import Calibration, Certificate, Run
    from judging.services.tokens import create_token
    from tests.factories import live, make_criteria_set, make_judge

    call_command("migrate", verbosity=0)
    criteria_set, now = make_criteria_set("replies"), timezone.now()
    pair: dict[str, Any] = {"judge_version": make_judge("strict"), "criteria_version": live(criteria_set)}
    run = Run.objects.create(state="finished", **pair)
    counts = {"a": 28, "b": 2, "c": 2, "d": 28}
    calibration = Calibration.objects.create(run=run, golden_hash="0", as_of=now, **counts, **pair)
    figures = {
        "kappa": 0.867,
        "interval_low": 0.7,
        "interval_high": 0.95,
        "lower_bound": 0.74,
        "coverage": 1.0,
    }
    rows = {"n": 60, "n_pass": 30, "n_fail": 30}
    Certificate.objects.create(
        calibration=calibration,
        status="certified",
        policy={},
        rule="point",
        bar="0.650",
        cause="run",
        calibrated_at=now,
        expires_at=now + timedelta(days=30),
        **figures,
        **rows,
        **pair,
    )
    return create_token(name="ci", scopes=["gate"])[1]


def get(path: str, secret: str) -> str:
    """The status line of a request, asked as a WSGI server asks."""
    heard: list[str] = []

    def start_response(status: str, headers: object, _: object = None, /) -> Callable[[bytes], object]:
        heard.append(status)
        return len

    environ = {
        "REQUEST_METHOD": "GET",
        "PATH_INFO": path,
        "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": "80",
        "HTTP_HOST": "127.0.0.1",
        "HTTP_AUTHORIZATION": f"Bearer {secret}",
        "wsgi.url_scheme": "http",
        "wsgi.input": BytesIO(),
        "wsgi.errors": sys.stderr,
    }
    list(application(environ, start_response))
    return heard[0]


if __name__ == "__main__":
    token = prepare()
    print({get(path, token) for path in PATHS}, sorted(HEAVY & set(sys.modules)))  # noqa: T201
