"""Where messages go and where never: private addresses, names that lead there, redirects, endless answers."""

import socket
import ssl
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from pytest_django import Settings

from judging.loop import run_in_loop
from judging.services import posting
from judging.services.posting import LIMIT, Answer, post
from judging.services.targets import NotAllowed, target_of
from tests.judging.receiving import Receiver, dripping, endless, silent, status

PRIVATE = "is an address inside a network"


def send(url: str) -> Answer:
    return run_in_loop(post(url, {"webhook-id": "msg_1"}, b"{}")).result(30)


@pytest.fixture
def receiver(settings: Settings) -> Any:
    """A receiver that the administrator allows."""
    with Receiver() as found:
        settings.VERA_WEBHOOK_HOSTS = [found.host]
        yield found


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Names that lead to the addresses given; each look-up is counted."""
    known: dict[str, list[list[str]]] = {}
    asked: list[str] = []

    def look_up(host: Any, port: Any, *rest: Any, **more: Any) -> list[Any]:
        asked.append(str(host))
        answers = known.get(str(host), [[str(host)]])
        addresses = answers.pop(0) if len(answers) > 1 else answers[0]
        kinds = {each: socket.AF_INET6 if ":" in each else socket.AF_INET for each in addresses}
        return [(kind, socket.SOCK_STREAM, 6, "", (each, port)) for each, kind in kinds.items()]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return known, asked


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "http://127.1/",
        "http://0x7f.1/",
        "http://2130706433/",
        "http://0177.0.0.1/",
        "http://0/",
        "http://localhost:8000/",
        "http://api.localhost/",
        "http://localhost./",
        "http://127.0.0.1./",
        "http://127\u30020\uff0e0\uff611/",
        "http://\u24c1ocalhost/",
        "http://10.0.0.7/",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::1]/",
        "http://[::ffff:169.254.169.254]/",
        "http://[64:ff9b::a9fe:a9fe]/",
        "http://[fd00:ec2::254]/",
    ],
)
def test_a_private_address_is_refused_when_it_is_given_and_when_it_is_called(url: str) -> None:
    with pytest.raises(NotAllowed, match=PRIVATE):
        target_of(url)

    assert PRIVATE in send(url).problem


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.org/hook",
        "ftp://example.org/",
        "file:///etc/passwd",
        "gopher://127.0.0.1:6379/_",
        "javascript:alert(1)",
        "http://",
        "http:///path",
        "http://user:secret@example.org/",
        "http://example.org@127.0.0.1/",
        "http://example.org\\@127.0.0.1/",
        "http://example.org/#here",
        "http://example.org:99999/",
        "http://example.org:0/",
        "http://./",
        "http://example.org:http/",
        "http://[::1/",
        "http://exa mple.org/",
        "http://example.org/\r\nX-Injected: 1",
    ],
)
def test_what_is_no_address_of_a_server_is_refused(url: str) -> None:
    with pytest.raises(NotAllowed):
        target_of(url)


def test_production_calls_by_https_only_and_trusts_nobody(settings: Settings) -> None:
    settings.VERA_PRODUCTION = True

    with pytest.raises(NotAllowed, match="must begin with https://"):
        target_of("http://example.org/")
    assert "VERA_WEBHOOK_HOSTS" not in send("https://10.0.0.1/").problem


@pytest.mark.parametrize(
    "addresses",
    [["10.0.0.1"], ["8.8.8.8", "127.0.0.1"], ["8.8.8.8", "::1"], ["2606:4700:4700::1111", "fe80::1%2"]],
)
def test_a_name_that_leads_to_a_private_address_is_refused_even_beside_a_public_one(
    names: Any, addresses: list[str]
) -> None:
    names[0]["receiver.example"] = [addresses]

    assert PRIVATE in send("http://receiver.example/").problem


def test_a_name_is_looked_up_once_and_the_connection_made_to_what_was_checked(
    names: Any, receiver: Receiver, settings: Settings
) -> None:
    known, asked = names
    known["receiver.example"] = [["127.0.0.1"], ["10.0.0.1"]]  # another one the second time
    settings.VERA_WEBHOOK_HOSTS = ["receiver.example"]

    answer = send(f"http://receiver.example:{receiver.server_port}/hook?x=1")

    assert (answer.problem, answer.status, answer.address) == ("", 204, "127.0.0.1")
    assert asked == ["receiver.example"]
    (message,) = receiver.messages
    assert (message.path, message.headers["host"]) == (
        "/hook?x=1",
        f"receiver.example:{receiver.server_port}",
    )


def test_a_host_is_allowed_at_the_port_that_the_administrator_named(
    receiver: Receiver, settings: Settings
) -> None:
    settings.VERA_WEBHOOK_HOSTS = ["127.0.0.1:1"]

    assert PRIVATE in send(receiver.url).problem
    assert receiver.messages == []


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_a_redirect_is_never_followed(receiver: Receiver, settings: Settings, code: int) -> None:
    with Receiver() as inner:
        settings.VERA_WEBHOOK_HOSTS = [receiver.host, inner.host]  # not even to one that is allowed
        receiver.answer = status(code, Location=inner.url)

        answer = send(receiver.url)

    assert answer.problem.startswith(f"It answered with a redirect ({code}), and none is followed.")
    assert inner.messages == []


def test_an_endless_answer_is_cut(receiver: Receiver) -> None:
    receiver.answer, began = endless, time.monotonic()

    answer = send(receiver.url)

    assert (answer.problem, answer.status, answer.text) == ("", 200, "x" * LIMIT)
    assert time.monotonic() - began < 5


@pytest.mark.parametrize("answer", [silent, dripping])
def test_who_does_not_answer_in_time_is_left(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch, answer: Any
) -> None:
    monkeypatch.setattr(posting, "PATIENCE", 0.3)
    receiver.answer, began = answer, time.monotonic()

    told = send(receiver.url)

    assert told.problem.startswith(("It did not answer within", "Its answer could not be understood"))
    assert time.monotonic() - began < 3


def test_a_nul_and_broken_text_in_an_answer_can_be_kept(receiver: Receiver) -> None:
    receiver.answer = status(200, b"a\0b\xff")

    assert send(receiver.url).text == "a�b�"


def test_a_packed_answer_is_not_unpacked(receiver: Receiver) -> None:
    receiver.answer = status(200, b"\x1f\x8b", Content_Encoding="gzip")

    assert send(receiver.url).status == 200


def test_no_proxy_is_asked(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    with Receiver() as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://{proxy.host}")

        assert send(receiver.url).status == 204

    assert proxy.messages == []


def secure(folder: Path, name: str) -> ssl.SSLContext:
    """A server's context with a certificate for `name`, signed by itself; it is in `folder`/cert.pem."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    who = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    builder = x509.CertificateBuilder(who, who, key.public_key(), 1, now - timedelta(1), now + timedelta(1))
    builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    pem = serialization.Encoding.PEM
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / "cert.pem").write_bytes(builder.sign(key, hashes.SHA256()).public_bytes(pem))
    (folder / "key.pem").write_bytes(private)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    return context


@pytest.mark.parametrize(("name", "accepted"), [("receiver.example", True), ("other.example", False)])
def test_the_certificate_must_be_for_the_name_though_the_connection_is_to_an_address(
    names: Any, settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, accepted: bool
) -> None:
    names[0]["receiver.example"] = [["127.0.0.1"]]
    settings.VERA_WEBHOOK_HOSTS = ["receiver.example"]
    with Receiver(context=secure(tmp_path, name)) as receiver:
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert.pem"))

        answer = send(f"https://receiver.example:{receiver.server_port}/")

    assert (answer.status == 204) == accepted == (len(receiver.messages) == 1)
    assert accepted or answer.problem.startswith("Its TLS certificate is not valid for this name: ")


def test_a_certificate_that_nobody_vouches_for_is_refused(
    names: Any, settings: Settings, tmp_path: Path
) -> None:
    names[0]["receiver.example"] = [["127.0.0.1"]]
    settings.VERA_WEBHOOK_HOSTS = ["receiver.example"]
    with Receiver(context=secure(tmp_path, "receiver.example")) as receiver:
        answer = send(f"https://receiver.example:{receiver.server_port}/")

    assert answer.problem.startswith("Its TLS certificate is not valid")
    assert receiver.messages == []
