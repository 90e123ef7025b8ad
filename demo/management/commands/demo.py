"""`manage.py demo`: the example, running."""

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

from demo.beside import load_beside, start_beside
from demo.example import (
    STEPS,
    NotOurs,
    forget_tokens,
    load_example,
    pending_steps,
    standing_of,
    start_run_of,
)
from demo.processes import STOPPING, Processes, answers, end_undisturbed, free_port, port_problem
from demo.rows import FILES
from demo.telling import guide
from judging.models import Run
from judging.services.resource import summary

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
            self._ask_beside(processes)
            self._tell(port)
            self._stay(processes)
        except Stopped:
            self.stdout.write("\nStopping, which takes some ten seconds …")
            raise

    def _prepare(self) -> None:
        self.stdout.write("Preparing the database and the example …")
        call_command("migrate", verbosity=0)
        try:
            load_example(parts=1)
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
        """The calibrations that are still to be made: those on the same rows at once."""
        pending = pending_steps()
        for parts in sorted({step.parts for step in STEPS}):
            load_example(parts=parts)
            steps = [step for step in pending if step.parts == parts]
            if steps:
                self.stdout.write(f"Comparing with people: {', '.join(step.judge for step in steps)} …")
            runs = [start_run_of(step) for step in steps]
            for step, run in zip(steps, runs, strict=True):
                self._wait(processes, run)
                self.stdout.write(f"  {step.judge} on {step.criteria}: {summary(standing_of(step))}")

    def _ask_beside(self, processes: Processes) -> None:
        """What the other pages show: rows without labels, the order of reference sets, a replay."""
        load_beside()
        if runs := start_beside():
            self.stdout.write("Judging rows without labels, reference sets, and the golden set once more …")
        for run in runs:
            self._wait(processes, run)

    def _wait(self, processes: Processes, run: Run) -> None:
        while Run.objects.filter(pk=run.pk, state=Run.State.RUNNING).exists():
            self._check(processes)
            time.sleep(0.2)

    def _tell(self, port: int) -> None:
        address = f"http://127.0.0.1:{port}"
        forget_tokens()
        answer = io.StringIO()
        call_command(
            "create_token", "demo", scope=["gate"], criteria_set=list(FILES), json=True, stdout=answer
        )
        token = json.loads(answer.getvalue())["token"]
        self.stdout.write(guide(address, token))

    def _stay(self, processes: Processes) -> None:
        while True:
            self._check(processes)
            time.sleep(1)


def _stop(number: int, frame: object) -> None:
    end_undisturbed()
    raise Stopped
