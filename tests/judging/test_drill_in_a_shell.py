"""The lines of a drill, as the README and the page of consumers show them, run by a shell with curl."""

import re
import subprocess
from html import unescape

import pytest
from django.test import Client
from pytest_django.live_server_helper import LiveServer

from judging.models import Drill
from judging.services.tokens import create_token
from labeling.models import CriteriaSet
from tests.factories import make_criteria_set, make_judge, make_user
from tests.faults.servers import ROOT
from tests.judging.dashboards import certify

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def criteria_set() -> CriteriaSet:
    """A criteria set with a certified judge."""
    made = make_criteria_set("faq")
    certify(make_judge("my-panel"), made, a=30, d=30)
    return made


def run(lines: str, server: LiveServer, criteria_set: CriteriaSet) -> str:
    """What the lines print, with a token for that set."""
    _, secret = create_token(name="ci", scopes=["gate"], criteria_sets=[criteria_set])
    around = {"PATH": "/usr/local/bin:/usr/bin:/bin", "VERA": server.url, "TOKEN": secret}
    done = subprocess.run(
        ["/bin/sh", "-euc", lines], env=around, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_lines_of_the_readme_report_that_they_stopped(
    live_server: LiveServer, criteria_set: CriteriaSet
) -> None:
    section = (
        (ROOT / "README.md").read_text(encoding="utf-8").partition("## Prove that your pipeline stops")[2]
    )
    lines = section.partition("```sh\n")[2].partition("```")[0]

    said = run(lines, live_server, criteria_set)

    drill = Drill.objects.get()
    assert (drill.answer, drill.stopped, drill.judge.slug) == ("expired", True, "my-panel")
    assert '"stopped": true' in said


@pytest.mark.parametrize("answer", ["uncertified", "unavailable"])
def test_the_lines_of_the_page_do_so_for_every_answer(
    live_server: LiveServer, criteria_set: CriteriaSet, client: Client, answer: str
) -> None:
    client.force_login(make_user(lead_of=criteria_set))
    page = client.get("/consumers/").content.decode()
    shown = unescape(re.findall(r'<pre class="copy">(VERA=.*?)</pre>', page, re.DOTALL)[0])
    lines = shown.replace("http://testserver", live_server.url).replace("expired", answer)

    run(lines, live_server, criteria_set)

    drill = Drill.objects.get()
    assert (drill.answer, drill.stopped) == (answer, True)
