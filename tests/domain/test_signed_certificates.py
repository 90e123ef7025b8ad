"""Signed certificates: a signature by a key that is trusted, and nothing else, opens the gate."""

import base64
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.domain.signed_certificates import (
    LARGEST,
    Malformed,
    Refused,
    check,
    check_names,
    decoded,
    encoded,
    key_id_of,
    keys_in,
    public_key_of,
    read,
    signed,
)

# RFC 8032, section 7.1, test 1: secret and public key.
SEED = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
PUBLIC = bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
OTHER = bytes(32)
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def certificate(**differing: Any) -> dict[str, Any]:
    usual = {
        "format": "vera-certificate-1",
        "judge": "strict",
        "judge_version": 3,
        "fingerprint": "f" * 64,
        "criteria": "replies",
        "criteria_version": 2,
        "certified": True,
        "status": "certified",
        "reasons": [],
        "kappa": 0.867,
        "issued_at": NOW.isoformat(),
        "valid_until": (NOW + timedelta(hours=24)).isoformat(),
        "expires_at": (NOW + timedelta(days=30)).isoformat(),
    }
    return usual | differing


def file(seed: bytes = SEED, **differing: Any) -> bytes:
    return json.dumps(signed(certificate(**differing), seed), indent=2).encode()


def checked(content: bytes, keys: list[bytes] | None = None, now: datetime = NOW) -> None:
    check(read(content), [PUBLIC] if keys is None else keys, now)


def test_the_public_key_is_the_one_of_the_rfc() -> None:
    assert public_key_of(SEED) == PUBLIC


def test_what_was_signed_is_believed_however_it_is_laid_out() -> None:
    content = json.loads(file())

    checked(file())
    checked(json.dumps(content, separators=(",", ":"), sort_keys=True).encode())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("judge", "lenient"),
        ("kappa", 0.999),
        ("valid_until", "2036-01-01T00:00:00+00:00"),
        ("more", "of it"),
        ("fingerprint", "e" * 64),
        ("kappa", 10**20),
        ("more", "\ud800"),
    ],
)
def test_what_was_changed_is_refused(name: str, value: Any) -> None:
    content = json.loads(file())
    content["certificate"][name] = value

    with pytest.raises(Refused, match="The signature is wrong"):
        checked(json.dumps(content).encode())


def test_a_key_that_nobody_trusts_is_never_believed() -> None:
    for keys in ([], [public_key_of(OTHER)]):
        with pytest.raises(Refused, match=r"nobody here has said to trust.*--key"):
            checked(file(), keys)


def test_a_file_that_only_names_a_trusted_key_is_refused() -> None:
    content = json.loads(file(OTHER)) | {"key_id": key_id_of(PUBLIC)}

    with pytest.raises(Refused, match="The signature is wrong"):
        checked(json.dumps(content).encode())


@pytest.mark.parametrize(
    ("differing", "sentence"),
    [
        ({"status": "uncertified", "certified": False}, "strict@3 on replies@2 is not certified."),
        ({"status": "certified", "certified": False}, "is not certified"),
        ({"status": "uncertified", "certified": True}, "is not certified"),
        (
            {"status": "uncertified", "reasons": [{"code": "drift_alarm", "message": "It drifts."}]},
            "is not certified: It drifts.",
        ),
        ({"issued_at": (NOW + timedelta(seconds=61)).isoformat()}, "which is yet to come"),
        ({"valid_until": NOW.isoformat()}, "It was good until 2026-03-01 12:00:00 UTC"),
        ({"expires_at": NOW.isoformat()}, "has expired"),
        ({"format": "vera-certificate-2"}, "this version does not know"),
    ],
)
def test_a_true_signature_is_not_enough(differing: dict[str, Any], sentence: str) -> None:
    with pytest.raises(Refused, match=sentence):
        checked(file(**differing))


def test_clocks_that_differ_by_a_minute_shut_no_gate() -> None:
    checked(file(issued_at=(NOW + timedelta(seconds=60)).isoformat()))


@pytest.mark.parametrize(
    ("judge", "criteria", "about"),
    [
        ("strict", "replies", True),
        ("strict@3", "replies@2", True),
        ("strict@2", "replies", False),
        ("lenient", "replies", False),
        ("strict", "summaries", False),
        ("strict", "replies@1", False),
    ],
)
def test_it_is_about_one_judge_on_one_criteria_set(judge: str, criteria: str, about: bool) -> None:
    found = read(file())

    if about:
        check_names(found, judge, criteria)
    else:
        with pytest.raises(Refused, match="It is about strict@3 on replies@2, and not about"):
            check_names(found, judge, criteria)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"certified",
        b"[]",
        b"null",
        b"\xff\xfe",
        b"\x00" * 40,
        b"{}",
        b'{"certificate": {}, "signature": "", "algorithm": "Ed25519", "key_id": ""}',
        b"[" * 60_000,
        b'{"a":' * 10_000,
        b"9" * 60_000,
        b" " * (LARGEST + 1),
    ],
)
def test_what_is_no_signed_certificate_is_malformed(content: bytes) -> None:
    with pytest.raises(Malformed):
        read(content)


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ('"kappa": 0.867', '"kappa": NaN', "NaN, which JSON does not have"),
        ('"kappa": 0.867', '"kappa": -Infinity', "-Infinity, which JSON does not have"),
        ('"kappa": 0.867', '"kappa": 0.867, "kappa": 0.9', "says the same thing twice"),
        ('"Ed25519"', '"none"', "The only algorithm is Ed25519"),
        ('"issued_at": "2026-03-01T12:00:00+00:00"', '"issued_at": "yesterday"', "issued_at is no time"),
        (
            '"issued_at": "2026-03-01T12:00:00+00:00"',
            '"issued_at": "2026-03-01"',
            "does not say its time zone",
        ),
        ('"judge": "strict"', '"judge": 7', "lacks judge"),
    ],
)
def test_what_is_malformed_has_its_sentence(before: str, after: str, sentence: str) -> None:
    content = file().decode()
    assert before in content

    with pytest.raises(Malformed, match=sentence):
        read(content.replace(before, after).encode())


@given(st.binary(max_size=200) | st.binary(max_size=40).map(lambda junk: file()[:300] + junk))
def test_no_bytes_do_worse_than_being_malformed(content: bytes) -> None:
    with pytest.raises(Malformed):
        read(content)


def test_deep_nesting_within_a_certificate_is_refused() -> None:
    content = json.loads(file())
    nested = base64.b64encode(b"x").decode()
    text = json.dumps(content).replace('"reasons": []', f'"reasons": {"[" * 3000}"{nested}"{"]" * 3000}')

    with pytest.raises((Malformed, Refused)):
        checked(text.encode())


def test_keys_are_read_from_what_is_published_and_from_lines() -> None:
    published = {"keys": [{"key_id": key_id_of(PUBLIC), "public_key": encoded(PUBLIC)}]}

    assert keys_in(json.dumps(published).encode()) == [PUBLIC]
    assert keys_in(f"# ours\n{encoded(PUBLIC)}\n\n{encoded(OTHER)}\n".encode()) == [PUBLIC, OTHER]
    assert decoded(base64.urlsafe_b64encode(PUBLIC).decode().rstrip("=")) == PUBLIC


@pytest.mark.parametrize(
    "content", [b'{"keys": 1}', b'{"keys": ["x"]}', b"{", b"c2hvcnQ=", b'{"keys": [{}]}']
)
def test_what_is_no_key_is_malformed(content: bytes) -> None:
    with pytest.raises(Malformed):
        keys_in(content)
