"""A provider repeats the key it was asked with wherever it can; it stands nowhere afterwards.

Real workers and web processes that log all they can, a real broker, real HTTP. What is searched: every column
of every table, the broker, logs, pages, exports, answers of the API, and the command lines of processes; for
the key as it is and as URLs, JSON, HTML, base64 and hexadecimal digits write it.
"""

import base64
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import unquote, unquote_plus, urlsplit

import pytest
import redis
from django.apps import apps
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection

from judging.models import JudgeVersion, Run, Trial, Verdict
from judging.services.connections import connection_of
from judging.services.plans import plan_of
from judging.services.tokens import create_token
from judging.services.trials import start_trial
from tests.benchmarks.processes import tree
from tests.benchmarks.seed_verdicts import session_of
from tests.factories import live, make_panel, make_user
from tests.faults.conftest import MakeHouse
from tests.faults.house import House
from tests.faults.servers import ROOT, Group, answers_at, free_port, wait_for
from tests.judging.running import KEY, juror, panel, rows, scoring
from tests.scripted_judge import LEAKS, spellings

pytestmark = pytest.mark.faults

SECRET = "house+4f9c/2b7e=51d84a06&x9"  # unlike any provider's keys; other characters in every spelling
_LINK = re.compile(r"""(?:href|action|hx-get)=["']([^"'#]+)""")
_PAGES = 500
ASKED = ("gate", "certifications")  # of the API
_NO_NEED = re.compile(r"^/(static/|logout|admin/jsi18n)")  # no words of ours
_ESCAPE = re.compile(r"\\+u([0-9a-fA-F]{4})")


def traces_of(secret: str) -> list[str]:
    """Pieces of text that only somebody who has the secret can write; all lower case."""
    shifted = [base64.b64encode(b"\0" * shift + secret.encode()).decode() for shift in range(3)]
    inner = [text.rstrip("=")[4:-2] for text in shifted]  # what comes before or after changes no more of it
    urlsafe = [text.replace("+", "-").replace("/", "_") for text in inner]
    return [text.lower() for text in (*spellings(secret), *inner, *urlsafe)]


def found(secret: str, text: str) -> list[str]:
    """The traces in a text, as it is and after undoing what URLs, HTML and JSON do to letters."""
    unescaped = unescape(_ESCAPE.sub(lambda code: chr(int(code[1], 16)), text))
    unescaped = re.sub(r"\\+/", "/", unescaped)
    texts = [each.lower() for each in (text, unescaped, unquote(unescaped), unquote_plus(unescaped))]
    return [trace for trace in traces_of(secret) if any(trace in each for each in texts)]


def database_text() -> Iterator[tuple[str, str]]:
    """Every column of every table that there is, with its name; not only of tables that have a model."""
    assert apps.get_models()
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")
            columns = [column.name if hasattr(column, "name") else column[0] for column in cursor.description]
            for row in cursor.fetchall():
                for column, value in zip(columns, row, strict=True):
                    shown = value if isinstance(value, str) else json.dumps(value, default=str)
                    yield f"table {table}, column {column}", shown


def broker_text(house: House) -> Iterator[tuple[str, str]]:
    """What lies in the broker now."""
    if not house.redis_url:
        for path in (house.folder / "broker").rglob("*"):
            if path.is_file():
                yield f"broker's file {path.name}", f"{path.name} {path.read_text(errors='replace')}"
        return
    with redis.Redis.from_url(house.redis_url) as server:
        for key in server.scan_iter():
            yield f"Redis's key {key!r}", f"{key!r} {server.dump(key)!r}"


def messages(text: str) -> str:
    """A broker's text with the bodies of Celery's messages read."""
    bodies = re.findall(r'"body": *"([A-Za-z0-9+/=]+)"', text)
    return text + " ".join(base64.b64decode(body).decode(errors="replace") for body in bodies)


class Web:
    """The real web process of a house, its pages read as somebody."""

    def __init__(self, house: House) -> None:
        self.port = free_port()
        serve = ["granian", "--interface", "wsgi", "--host", "127.0.0.1", "--port", str(self.port)]
        command = [*serve, "--access-log", "vera_site.wsgi:application"]
        self.group = Group(sys.executable, "-m", *command, env=house.env, log=house.folder / "web.log")
        wait_for(lambda: answers_at(self.port), 60, "the web process")

    def get(self, address: str, **headers: str) -> tuple[int, str]:
        asked = HTTPConnection("127.0.0.1", self.port, timeout=60)
        asked.request("GET", address, headers=headers)
        answer = asked.getresponse()
        text = f"{answer.headers}\n{answer.read().decode(errors='replace')}"
        asked.close()
        return answer.status, text

    def pages(self, user: User, *starts: str) -> Iterator[tuple[str, str]]:
        """Every page that the user can reach by links, each once; forms' addresses are opened, not sent."""
        cookie = f"sessionid={session_of(user)}"
        waiting, known = list(starts), set(starts)
        while waiting and len(known) < _PAGES:
            address = waiting.pop(0)
            status, text = self.get(address, Cookie=cookie)
            assert status < 500, f"{address} answers {status}"
            yield address, text
            links = {_local(address, unescape(link)) for link in _LINK.findall(text)}
            # Django's own pages can be sorted and filtered in any number of ways.
            links -= {link for link in links if link.startswith("/admin/") and "?" in link}
            fresh = sorted(link for link in links if link and link not in known and not _NO_NEED.match(link))
            known.update(fresh)
            waiting += fresh


def _local(page: str, link: str) -> str:
    """An address on this server; "" for another."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return ""
    path = parts.path if parts.path else urlsplit(page).path
    if not path.startswith("/"):
        path = urlsplit(page).path.rpartition("/")[0] + "/" + path
    return path + (f"?{parts.query}" if parts.query else "")


@contextmanager
def serving(house: House) -> Iterator[Web]:
    web = Web(house)
    try:
        yield web
    finally:
        web.group.kill()


def command(house: House, *arguments: str) -> str:
    """All that a management command says."""
    asked = [sys.executable, "manage.py", *arguments]
    done = subprocess.run(asked, cwd=ROOT, env=house.env, check=True, capture_output=True, text=True)
    return done.stdout + done.stderr


def command_lines(*groups: Group) -> str:
    """How each process was started, as `ps` shows it to everybody on the machine."""
    pids = [pid for group in groups for pid in tree(group.process.pid)]
    assert len(pids) > len(groups)
    return " ".join(Path(f"/proc/{pid}/cmdline").read_text(errors="replace") for pid in pids)


def leaking_runs() -> list[Run]:
    """One run for each way to leak, over rows that people have judged and rows that they have not."""
    criteria_set = rows(2)
    named = [scoring(panel(leak, leak), criteria_set) for leak in LEAKS]
    own = {"base_url_env": "", "api_key_env": ""}  # the library takes the provider's usual variables
    members = [[juror(leak, **own), juror(leak, **own)] for leak in ("leak-401", "leak-reply", "leak-prose")]
    return named + [scoring(make_panel(each), criteria_set) for each in members]


def exceptions_text(run: Run) -> str:
    """What a traceback would show of the things that hold the key."""
    juror = run.judge_version.jurors()[0]
    return repr(connection_of(juror)) + repr(plan_of(run)) + str(vars(juror))


def test_a_key_stands_nowhere_after_a_provider_repeated_it_everywhere(
    make_house: MakeHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = {"VERA_SECRET_KEY": settings.SECRET_KEY, "VERA_PROVIDER_PATIENCE": "2", KEY: SECRET}
    house = make_house("--delay", "0", VERA_LOG_LEVEL="DEBUG", LITELLM_LOG="DEBUG", **shared)
    house.env |= {"OPENAI_API_KEY": SECRET, "OPENAI_BASE_URL": house.env["VERA_JUROR_TEST_URL"]}
    for name in (KEY, "VERA_JUROR_TEST_URL"):
        monkeypatch.setenv(name, house.env[name])
    runs = leaking_runs()
    criteria_set = runs[0].criteria_version.criteria_set
    lead = make_user(lead_of=criteria_set)
    admin = User.objects.create_superuser("admin")
    for run in runs:
        start_trial(
            judge_version=run.judge_version,
            criteria_version=live(criteria_set),
            texts={"request": "Say hello.", "output": "Hello!"},
            actor=lead,
        )
        house.run = run
        house.send()
    told = dict(broker_text(house))
    assert told  # while the messages wait

    with serving(house) as web:
        worker = house.start_worker()
        wait_for(lambda: not Verdict.objects.filter(outcome="pending", run__state="running").exists(), 150)
        wait_for(lambda: not Trial.objects.filter(state__in=["waiting", "asking"]).exists(), 60)
        told["ps"] = command_lines(worker, web.group)
        token, secret_token = create_token(name="pipeline", scopes=["gate", "admin"], actor=admin)
        for user in (lead, admin):
            starts = ["/", "/dashboard/", "/runs/", "/judges/", "/admin/", "/api/v1/docs"]
            for address, text in web.pages(user, *starts, *(f"/runs/{run.pk}/verdicts/" for run in runs)):
                told[f"{user.username}'s page {address}"] = text
        slugs = [run.judge_version.judge.slug for run in runs]
        for path in (f"{kind}/{slug}/{criteria_set.slug}" for kind in ASKED for slug in slugs):
            told[f"API {path}"] = web.get(f"/api/v1/{path}", Authorization=f"Bearer {secret_token}")[1]
    told |= {f"after the runs, {place}": text for place, text in broker_text(house)}
    told["export_judges"] = command(house, "export_judges")
    told["export_golden"] = command(house, "export_golden", "--criteria-set", criteria_set.slug)
    told["exceptions"] = "".join(exceptions_text(run) for run in runs)
    worker.terminate()
    for log in house.folder.glob("*.log"):
        told[log.name] = log.read_text(errors="replace")

    assert house.judge.calls() >= 2 * len(runs)
    assert_seen(told, runs, house.folder)
    leaks = {place: where for place, text in told.items() if (where := found(SECRET, messages(text)))}
    stored: dict[str, Any] = {}
    for place, text in database_text():
        if where := found(SECRET, text):
            stored[place] = where
    assert leaks | stored == {}
    for other in (secret_token, settings.SECRET_KEY):
        assert [place for place, text in [*told.items(), *database_text()] if other in text] == []
    assert token.digest not in "".join(text for place, text in told.items() if "/admin/" not in place)


def assert_seen(told: dict[str, str], runs: list[Run], folder: Path) -> None:
    """Guard against a search that looks at nothing: pages with replies, logs at DEBUG, judges, trials."""
    places = "\n".join(told)
    for run in runs:
        assert f"/runs/{run.pk}/" in places
        assert f"/judges/{run.judge_version.judge.slug}/" in places
    for page in ("/trials/", "/try/", "/providers/", "/schedules/", "/skips/", "/admin/labeling/"):
        assert page in places
    assert "DEBUG" in (folder / "worker.log").read_text()
    assert "[key]" in "".join(text for place, text in told.items() if "/runs/" in place)
    assert KEY in told["export_judges"]
    assert JudgeVersion.objects.filter(api_key_env=KEY).count() == 2 * len(LEAKS)


@pytest.mark.parametrize("spelling", range(len(spellings(SECRET))))
def test_the_search_finds_every_spelling(spelling: int) -> None:
    text = f"before{spellings(SECRET)[spelling]}after"

    assert found(SECRET, text)
    assert found(SECRET, json.dumps({"a": text}))
    assert not found(SECRET, "house [key] 51d84a")
