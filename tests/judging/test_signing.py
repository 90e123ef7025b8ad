"""Signed certificates from the API, the page and the shell, and the gate that believes them offline."""

import base64
import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from judging.domain.signed_certificates import decoded, encoded, key_id_of, public_key_of, signed
from judging.models import JudgeVersion, SigningKey
from judging.services.signing import CannotSign, sign_standing
from judging.services.standing import find_standing
from judging.services.tokens import create_token
from labeling.models import AuditEvent, CriteriaSet
from tests.factories import make_criteria_set, make_judge, make_user
from tests.judging.dashboards import certify, text

pytestmark = pytest.mark.django_db

URL = "/api/v1/certifications/strict/replies/signed"
KEYS = "/.well-known/vera-signing-keys.json"
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def house(tmp_path: Path, settings: Settings) -> Path:
    """A folder of the installation's own, without a key."""
    settings.VERA_VAR = tmp_path
    settings.VERA_SIGNING_KEY, settings.VERA_TRUSTED_KEYS = None, []
    return tmp_path


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies")


@pytest.fixture
def judge(criteria_set: CriteriaSet) -> JudgeVersion:
    """A certified one."""
    judge = make_judge("strict")
    certify(judge, criteria_set, a=28, b=2, c=2, d=28)
    return judge


@pytest.fixture
def api() -> Client:
    _, secret = create_token(name="ci", scopes=["gate"])
    return Client(headers={"Authorization": f"Bearer {secret}"})


def run(*arguments: str) -> tuple[int, str]:
    """Exit code and output of a command."""
    out = StringIO()
    try:
        call_command(*arguments, stdout=out, stderr=StringIO())
    except SystemExit as end:
        return int(end.code or 0), out.getvalue()
    except CommandError as wrong:
        return wrong.returncode, str(wrong)
    return 0, out.getvalue()


def test_the_api_answers_with_a_file_that_anybody_can_check(
    api: Client, client: Client, judge: JudgeVersion
) -> None:
    body = api.get(URL).json()

    (key,) = client.get(KEYS).json()["keys"]
    # By hand, as docs/signed-certificates.md says: what is signed here holds no number with an exponent.
    text_signed = json.dumps(body["certificate"], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    exact = text_signed.replace(":1.0,", ":1,").replace(":1.0}", ":1}")
    public = Ed25519PublicKey.from_public_bytes(decoded(key["public_key"]))
    public.verify(base64.b64decode(body["signature"]), exact.encode())
    assert (body["algorithm"], body["key_id"]) == ("Ed25519", key["key_id"])
    assert (key["algorithm"], key["in_use"]) == ("Ed25519", True)


def test_it_says_what_the_certification_says_and_how_long_that_is_good(
    api: Client, judge: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    answer = api.get(URL)
    told = answer.json()["certificate"]

    assert api.get("/api/v1/certifications/strict/replies").json().items() <= told.items()
    assert answer["Cache-Control"] == "no-store"
    assert criteria_set.live_version
    assert told["criteria_hash"] == criteria_set.live_version.content_hash
    assert told["policy"]["bar"].startswith("0.65")
    issued, until = (datetime.fromisoformat(told[name]) for name in ("issued_at", "valid_until"))
    assert until - issued == timedelta(hours=24)
    assert abs(issued - timezone.now()) < timedelta(seconds=60)


def test_it_is_never_good_for_longer_than_the_certificate(judge: JudgeVersion) -> None:
    standing = find_standing(judge="strict", criteria="replies", sets=None, now=timezone.now())
    assert standing.certificate
    almost = standing.certificate.expires_at - timedelta(hours=1)

    told = sign_standing(find_standing(judge="strict", criteria="replies", sets=None, now=almost))

    until = datetime.fromisoformat(told["certificate"]["valid_until"])
    assert until == standing.certificate.expires_at.replace(microsecond=0)


def test_without_a_token_of_the_right_scope_there_is_none(client: Client, judge: JudgeVersion) -> None:
    _, secret = create_token(name="feed", scopes=["submit"])

    assert client.get(URL).status_code == 401
    assert client.get(URL, headers={"Authorization": f"Bearer {secret}"}).status_code == 403


def test_a_judge_never_calibrated_has_one_that_says_so(api: Client, criteria_set: CriteriaSet) -> None:
    make_judge("new")

    told = api.get("/api/v1/certifications/new/replies/signed").json()["certificate"]

    assert (told["certified"], told["reasons"][0]["code"]) == (False, "never_calibrated")


def test_a_lead_downloads_it_from_the_page(
    client: Client, judge: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    page = "/dashboard/strict/replies/"
    for status, person in {404: make_user(), 403: make_user(labels=criteria_set)}.items():
        client.force_login(person)
        assert client.get(f"{page}signed/").status_code == status
    client.force_login(make_user(lead_of=criteria_set))

    answer = client.get(f"{page}signed/")

    assert f'href="{page}signed/' in text(client.get(page))
    assert answer["Content-Disposition"] == 'attachment; filename="certificate-strict-replies.json"'
    assert answer.json()["certificate"]["judge"] == "strict"


def test_the_key_is_made_once_readable_by_its_owner_only_and_never_shown(
    api: Client, house: Path, judge: JudgeVersion
) -> None:
    first, second = api.get(URL), api.get(URL)

    path = house / "signing_key"
    assert first.json()["key_id"] == second.json()["key_id"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert sorted(each.name for each in house.iterdir()) == ["signing_key", "signing_keys.pub"]
    secret = path.read_text()
    shown = first.text + api.get(KEYS).text + run("signing_key")[1] + str(SigningKey.objects.values())
    assert secret not in shown
    assert secret not in (house / "signing_keys.pub").read_text()


def test_in_production_the_key_must_be_given(api: Client, settings: Settings, judge: JudgeVersion) -> None:
    settings.VERA_PRODUCTION, settings.SECURE_SSL_REDIRECT = True, False

    answer = api.get(URL)

    assert answer.status_code == 503
    assert answer.json()["error"]["message"].startswith("VERA_SIGNING_KEY is not set")
    with pytest.raises(CannotSign):
        sign_standing(find_standing(judge="strict", criteria="replies", sets=None, now=timezone.now()))


def test_keys_before_stay_listed_until_they_are_withdrawn(
    api: Client, settings: Settings, house: Path, judge: JudgeVersion
) -> None:
    old = api.get(URL).json()["key_id"]
    code, line = run("signing_key", "--renew")
    new = api.get(URL).json()["key_id"]
    assert (code, line.split()[1], new == old) == (0, new, False)
    listed = api.get(KEYS).json()["keys"]
    assert [(each["key_id"], each["in_use"]) for each in listed] == [(new, True), (old, False)]
    assert run("signing_key", "--withdraw", new) == (
        2,
        "Certificates are signed with this key now. Change the key first.",
    )

    assert run("signing_key", "--withdraw", old)[0] == 0

    assert [each["key_id"] for each in api.get(KEYS).json()["keys"]] == [new]
    assert len((house / "signing_keys.pub").read_text().split()) == 1
    assert AuditEvent.objects.filter(action__startswith="signing_key").count() == 2
    settings.VERA_SIGNING_KEY = bytes(32)
    assert api.get(URL).json()["key_id"] == key_id_of(public_key_of(bytes(32)))
    assert run("signing_key", "--renew")[0] == 2


def offline(path: Path, *arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    """The gate in a process of its own, whose database can be neither found nor opened."""
    unusable = {"DATABASE_URL": "postgres://nobody@127.0.0.1:1/nothing", "PATH": os.environ["PATH"]}
    return subprocess.run(
        [sys.executable, "manage.py", "gate", "--offline", str(path), *arguments],
        cwd=ROOT,
        env=unusable | variables,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_gate_believes_a_file_without_server_or_database(
    judge: JudgeVersion, house: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = house / "certificate.json"
    assert run("export_certificate", "strict", "replies", "-o", str(path))[0] == 0
    key = run("signing_key")[1].split()[0]
    elsewhere = str(tmp_path_factory.mktemp("var"))

    by_key = offline(path, "strict", "replies@1", "--key", key, VERA_VAR=elsewhere)

    assert (by_key.returncode, by_key.stderr) == (0, "")
    assert by_key.stdout.startswith("CERTIFIED  strict@1 on replies@1  good until ")


def test_a_file_is_believed_by_our_own_keys_and_by_those_that_the_settings_trust(
    judge: JudgeVersion, house: Path, settings: Settings, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = exported(house)
    assert run("gate", "--offline", str(path))[0] == 0

    settings.VERA_VAR = tmp_path_factory.mktemp("elsewhere")

    code, said = run("gate", "--offline", str(path))
    assert (code, said.startswith("UNCERTIFIED  It is signed with the key ")) == (1, True)
    settings.VERA_TRUSTED_KEYS = [decoded((house / "signing_keys.pub").read_text())]
    assert run("gate", "--offline", str(path))[0] == 0


def exported(house: Path, change: Callable[[dict[str, Any]], Any] | None = None) -> Path:
    """A certificate of the installation, perhaps with other content under the same key."""
    path = house / "certificate.json"
    assert run("export_certificate", "strict", "replies", "-o", str(path))[0] == 0
    if change:
        told = json.loads(path.read_text())["certificate"]
        change(told)
        path.write_text(json.dumps(signed(told, decoded((house / "signing_key").read_text()))))
    return path


def test_offline_in_a_sentence_why_not(judge: JudgeVersion, house: Path) -> None:
    past = datetime(2026, 1, 1, tzinfo=UTC).isoformat()
    path = exported(house, lambda told: told.update(valid_until=past))

    code, said = run("gate", "--offline", str(path))

    assert code == 1
    assert said == (
        "UNCERTIFIED  It was good until 2026-01-01 00:00:00 UTC, because a file cannot know what happened "
        "since. Fetch a fresh one.\n"
    )


def test_offline_an_uncertified_judge_opens_nothing(criteria_set: CriteriaSet, house: Path) -> None:
    certify(make_judge("strict"), criteria_set, a=4, d=4)

    code, said = run("gate", "--offline", str(exported(house)))

    assert code == 1
    assert said.startswith("UNCERTIFIED  strict@1 on replies@1 is not certified: 8 golden rows are scored")


def test_offline_for_another_judge_opens_nothing(judge: JudgeVersion, house: Path) -> None:
    code, said = run("gate", "lenient", "replies", "--offline", str(exported(house)))

    assert (code, said) == (
        1,
        "UNCERTIFIED  It is about strict@1 on replies@1, and not about judge “lenient”.\n",
    )


def test_offline_a_named_key_shuts_out_our_own(judge: JudgeVersion, house: Path) -> None:
    path, other = exported(house), encoded(public_key_of(bytes(32)))

    assert run("gate", "--offline", str(path))[0] == 0
    assert run("gate", "--offline", str(path), "--key", other)[0] == 1


def test_offline_by_a_file_of_published_keys(judge: JudgeVersion, house: Path, client: Client) -> None:
    path = exported(house)
    (house / "keys.json").write_bytes(client.get(KEYS).content)

    assert run("gate", "--offline", str(path), "--keys", str(house / "keys.json"))[0] == 0


def test_offline_as_json(judge: JudgeVersion, house: Path) -> None:
    path = exported(house)

    yes = json.loads(run("gate", "--offline", str(path), "--json")[1])
    path.write_text(path.read_text().replace('"strict"', '"hasty"'))
    no = json.loads(run("gate", "--offline", str(path), "--json")[1])

    assert (yes["valid"], yes["problem"], yes["certificate"]["judge"]) == (True, None, "strict")
    assert (no["valid"], no["certificate"]) == (False, None)
    assert no["problem"].startswith("The signature is wrong")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--offline", "nowhere.json"], "nowhere.json cannot be read: No such file or directory."),
        (["--offline", "/dev/zero"], "The file is larger than 64 kB, which no signed certificate is."),
        (["--offline", "{junk}"], "The file is no JSON."),
        (["--offline", "{file}", "--key", "short"], "A key is 32 bytes in base64: 43 characters, and mostly"),
        (["strict", "replies", "--key", "x"], "--key and --keys go with --offline."),
    ],
)
def test_offline_wrong_use_exits_2(
    judge: JudgeVersion, house: Path, arguments: list[str], sentence: str
) -> None:
    places = {"{file}": str(exported(house)), "{junk}": str(house / "junk")}
    (house / "junk").write_text("CERTIFIED")

    code, said = run("gate", *(places.get(each, each) for each in arguments))

    assert code == 2
    assert said.startswith(sentence)


def test_exporting_an_unknown_judge_exits_2(criteria_set: CriteriaSet, house: Path) -> None:
    assert run("export_certificate", "nobody", "replies") == (2, "There is no judge “nobody”.")
    make_judge("strict")
    assert run("export_certificate", "strict", "replies", "-o", str(house / "no" / "file"))[0] == 2


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--offline", "{file}", "", "some-other-set"], "JUDGE is given and empty."),
        (["--offline", "{file}", "", ""], "JUDGE is given and empty."),
        (["--offline", "{file}", "strict", " "], "CRITERIA is given and empty."),
        (["--offline", "", "strict", "replies"], "FILE of --offline is given and empty."),
        (["--offline", "{file}", "--keys", ""], "FILE of --keys is given and empty."),
        (["--offline", "{file}", "--keys", "{large}"], "The file of keys is larger than 64 kB."),
    ],
)
def test_offline_an_unset_variable_is_no_name(
    judge: JudgeVersion, house: Path, arguments: list[str], sentence: str
) -> None:
    places = {"{file}": str(exported(house)), "{large}": str(house / "large")}
    (house / "large").write_text(f"{encoded(bytes(32))}\n" * 2000)

    code, said = run("gate", *(places.get(each, each) for each in arguments))

    assert code == 2
    assert said.startswith(sentence)


def test_offline_a_file_without_its_versions_is_malformed(judge: JudgeVersion, house: Path) -> None:
    path = exported(house, lambda told: told.pop("judge_version"))

    assert run("gate", "--offline", str(path)) == (2, "The certificate lacks judge_version.")


def test_recorded_verdicts_are_marked_offline(judge: JudgeVersion, house: Path) -> None:
    path = exported(house, lambda told: told.update(recorded=True))

    assert run("gate", "--offline", str(path))[1].endswith("  (recorded verdicts)\n")
