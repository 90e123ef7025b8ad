"""Keys and addresses of judges: only by allowed names, only to allowed hosts."""

import pytest

from judging.services.connections import Connection, NotConfigured, connection_of
from tests.judging.running import KEY, URL, juror

pytestmark = pytest.mark.django_db


def test_key_and_address_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(URL, "http://127.0.0.1:9/v1")
    monkeypatch.setenv(KEY, "sk-secret")

    connection = connection_of(juror())

    assert connection == Connection("http://127.0.0.1:9/v1", "sk-secret")
    assert "sk-secret" not in repr(connection)


@pytest.mark.parametrize(
    "name", ["DATABASE_URL", "VERA_SECRET_KEY", "PATH", "vera_juror_x", "VERA_JUROR_X\n"]
)
def test_no_other_variable_can_be_read(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgres://secret")

    with pytest.raises(NotConfigured, match="A judge may not read the variable"):
        connection_of(juror(base_url_env="", api_key_env=name))


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example/v1",
        "http://127.0.0.1.evil.example",
        "ftp://localhost",
        "http://u:p@localhost",
        "//x",
        "http://[",
        "http://127.0.0.1@evil.example/",
        "http://127.0.0.1\\@evil.example/",
        "http://[::ffff:127.0.0.1]/v1",
        "http://127.0.0.1./v1",
        "http://0x7f000001/v1",
        "HTTPS://EVIL.EXAMPLE/v1",
        "file:///etc/passwd",
        "no address",
    ],
)
def test_no_other_host_can_be_asked(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv(URL, address)

    with pytest.raises(NotConfigured, match=URL):
        connection_of(juror(api_key_env=""))


def test_a_host_may_be_allowed_for_one_port_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("django.conf.settings.VERA_JUROR_HOSTS", ["models.example:8000", "[::1]"])
    monkeypatch.setenv(URL, "https://models.example:8000/v1")
    assert connection_of(juror(api_key_env="")).base_url

    monkeypatch.setenv(URL, "http://[::1]:9/v1")
    assert connection_of(juror(api_key_env="")).base_url

    monkeypatch.setenv(URL, "https://models.example/v1")
    with pytest.raises(NotConfigured, match=r"points to models\.example, which is not on the list"):
        connection_of(juror(api_key_env=""))


def test_a_variable_that_is_not_set_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(URL, "http://localhost/v1")
    monkeypatch.delenv(KEY, raising=False)

    with pytest.raises(NotConfigured, match=f"needs the variable {KEY}, which is not set"):
        connection_of(juror())
