"""Signatures of messages, checked by the official library of the specification."""

import json
from datetime import UTC, datetime

import pytest
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from judging.domain.webhook_signing import secret_from, signed_headers

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
BODY = b'{"test": 2432232314}'


def signed(*secrets: str, body: bytes = BODY) -> dict[str, str]:
    now = int(datetime.now(UTC).timestamp())
    return signed_headers(secrets, "msg_p5jXN8AQM9LWM0D4loKWxJek", now, body)


def test_the_official_library_accepts_it() -> None:
    assert Webhook(SECRET).verify(BODY, signed(SECRET)) == {"test": 2432232314}


def test_the_signature_is_the_one_that_the_official_library_makes() -> None:
    moment = datetime(2021, 2, 25, 5, 38, 10, tzinfo=UTC)
    headers = signed_headers([SECRET], "msg_1", int(moment.timestamp()), BODY)

    assert headers["webhook-signature"] == Webhook(SECRET).sign("msg_1", moment, BODY.decode())


def test_two_secrets_sign_so_that_a_receiver_with_either_accepts() -> None:
    old, new = secret_from("master", "old"), secret_from("master", "new")

    headers = signed(new, old)

    for secret in (old, new):
        assert Webhook(secret).verify(BODY, headers)


@pytest.mark.parametrize("changed", ["webhook-id", "webhook-timestamp", "webhook-signature"])
def test_a_changed_header_is_refused(changed: str) -> None:
    headers = signed(SECRET)
    headers[changed] = str(int(headers[changed]) - 7) if "time" in changed else headers[changed][:-4] + "AAA="

    with pytest.raises(WebhookVerificationError):
        Webhook(SECRET).verify(BODY, headers)


def test_a_changed_body_is_refused() -> None:
    with pytest.raises(WebhookVerificationError):
        Webhook(SECRET).verify(json.dumps({"test": 1}).encode(), signed(SECRET))


def test_a_secret_is_told_by_master_and_salt_and_has_the_specified_form() -> None:
    secret = secret_from("master", "salt")

    assert secret == secret_from("master", "salt")
    assert len({secret, secret_from("master", "other"), secret_from("other", "salt")}) == 3
    assert secret.startswith("whsec_")
    assert len(secret) == len("whsec_") + 44
