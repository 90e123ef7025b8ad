"""`manage.py demo`: the example, running."""

import contextlib
import io
import json
import signal
import sys
import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from demo.example import (
    CALIBRATIONS,
    LOGINS,
    NotOurs,
    forget_tokens,
    is_certified,
    load_example,
    pending_calibrations,
)
from demo.processes import STOPPING, Processes, answers, end_undisturbed, free_port, port_problem
from demo.rows import FILES

START_LIMIT = 60.0  # seconds the processes get to answer


class Stopped(BaseException):
    """Somebody asked the demo to end. No KeyboardInterrupt: `calibrate` takes that for an end of watching."""


class Command(BaseCommand):
    """Load the example, calibrate its judges through a real worker, and serve until Ctrl-C."""

    help = "Shows Vera at work: example rows, scripted jurors, a worker and the pages, until Ctrl-C."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--port", type=int, default=8000, help="where the pages are served (default 8000)"
        )

    def handle(self, *args: Any, port: int, **options: Any) -> None:
        if settings.VERA_PRODUCTION:
            raise CommandError("The demo has accounts with known passwords and does not run in production.")
        if problem := port_problem(port):
            raise CommandError(f"{problem} Choose another one: make demo PORT={free_port()}")
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(line_buffering=True)  # who sends it to a file wants the address now, too
        for number in STOPPING:
            signal.signal(number, _stop)
        provider_port = free_port()
        environment = {
            "VERA_DEMO": "1",
            "VERA_JUROR_DEMO_URL": f"http://127.0.0.1:{provider_port}/v1",
            "VERA_JUROR_DEMO_KEY": "the-scripted-provider-wants-no-key",
        }
        try:
            with Processes(environment, Path(settings.VERA_VAR) / "log") as processes:
                self._show(processes, port, provider_port)
        except Stopped:
            self.stdout.write(
                f"Everything the demo started has ended; its data stays in {settings.VERA_VAR}."
            )

    def _show(self, processes: Processes, port: int, provider_port: int) -> None:
        try:
            self._prepare()
            self._start(processes, port, provider_port)
            self._calibrate(processes)
            self._tell(port)
            self._stay(processes)
        except Stopped:
            self.stdout.write("\nStopping, which takes some ten seconds …")
            raise

    def _prepare(self) -> None:
        self.stdout.write("Preparing the database and the example …")
        call_command("migrate", verbosity=0)
        try:
            load_example()
        except NotOurs as problem:
            raise CommandError(str(problem)) from None

    def _start(self, processes: Processes, port: int, provider_port: int) -> None:
        self.stdout.write("Starting the scripted provider, a worker and the pages …")
        processes.start("provider", "-m", "demo.provider", "--port", str(provider_port))
        processes.start("worker", "-m", "celery", "-A", "vera_site", "worker")
        processes.start(
            "pages", "-m", "granian", "--interface", "wsgi", "--host", "127.0.0.1", "--port", str(port),
            "--workers", "2", "--workers-kill-timeout", "5", "--blocking-threads", "1",
            "vera_site.wsgi:application",
        )  # fmt: skip
        addresses = [f"http://127.0.0.1:{provider_port}/healthz", f"http://127.0.0.1:{port}/healthz"]
        deadline = time.monotonic() + START_LIMIT
        while not all(map(answers, addresses)):
            self._check(processes)
            if time.monotonic() > deadline:
                raise CommandError(
                    f"The pages did not answer within {START_LIMIT:.0f} seconds.\n{processes.log('pages')}"
                )
            time.sleep(0.2)

    def _check(self, processes: Processes) -> None:
        if name := processes.ended():
            raise CommandError(f"The demo's {name} ended unexpectedly. It last said:\n{processes.log(name)}")

    def _calibrate(self, processes: Processes) -> None:
        for judge, criteria in pending_calibrations():
            self.stdout.write(f"Running {judge} over the golden set of {criteria} …")
            self._check(processes)
            with contextlib.suppress(SystemExit):  # 1 says uncertified, which is what the example is about
                call_command("calibrate", judge, criteria, wait=True)

    def _tell(self, port: int) -> None:
        address = f"http://127.0.0.1:{port}"
        forget_tokens()
        answer = io.StringIO()
        call_command(
            "create_token", "demo", scope=["gate"], criteria_set=list(FILES), json=True, stdout=answer
        )
        token = json.loads(answer.getvalue())["token"]
        lines = {"logins": _login_lines(), "gates": _gate_lines()}
        self.stdout.write(GUIDE.format(address=address, token=token, **lines))

    def _stay(self, processes: Processes) -> None:
        while True:
            self._check(processes)
            time.sleep(1)


def _stop(number: int, frame: object) -> None:
    end_undisturbed()
    raise Stopped


def _login_lines() -> str:
    return "\n".join(f"    {login.name:<8} / {login.password:<13} {login.role}" for login in LOGINS)


def _gate_lines() -> str:
    """The gates of the example; what people did since may have changed how a judge stands."""
    return "\n".join(
        f'    curl --fail -H "$AUTH" $API/gate/{judge}/{criteria}'
        f"  # exits {'0: certified' if is_certified(judge, criteria) else '22: not'}"
        for judge, criteria in CALIBRATIONS[:2]
    )


GUIDE = """
Vera is at {address}

  Log in as
{logins}

  What to look at
    1. As the labeler: {address}/sets/meeting-summaries/label/
       Label by keyboard: 1 pass, 2 fail, u undo, ? shows all keys.
    2. As the lead: {address}/dashboard/
       Of the example's judges review-panel earns its certificate, the others do not. Open one to see why.
    3. As the lead: {address}/sets/meeting-summaries/rulings/
       Where people disagree, a ruling settles the row.

  What an agent or a pipeline reads
    AUTH='Authorization: Bearer {token}'
    API={address}/api/v1
    curl -H "$AUTH" $API/certifications/review-panel/meeting-summaries
    curl -H "$AUTH" $API/certifications/agreeable/meeting-summaries
{gates}

  The jurors are scripted: a loopback endpoint of the demo answers for them and no model is asked.
  Ctrl-C stops everything.
"""
