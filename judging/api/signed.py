"""Certificates to take along: signed, and believed without asking Vera."""

from typing import Any, Literal

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.http import require_safe
from ninja import Router, Schema
from ninja.errors import HttpError

from judging.access import token_sets
from judging.api.certifications import Number, check_query, token_of
from judging.api.schemas import CertificationOut, ErrorOut
from judging.auth import Bearer
from judging.services.readers import note_reads
from judging.services.signing import CannotSign, public_keys, sign_standing
from judging.services.standing import find_standing

KEYS_MAX_AGE = 300  # seconds; a withdrawn key is believed no longer than this by who asks

router = Router(auth=Bearer("gate"), tags=["certification"])


class SignedCertificate(CertificationOut):
    """The certification with what makes it stand alone. `valid_until`: after it, fetch a fresh one."""

    format: Literal["vera-certificate-1"]
    issuer: str
    issued_at: str
    valid_until: str
    criteria_hash: str
    policy: dict[str, Any] | None


class SignedOut(Schema):
    """A signed file. The signature is over the canonical JSON (RFC 8785) of `certificate`."""

    certificate: SignedCertificate
    signature: str
    algorithm: Literal["Ed25519"]
    key_id: str


_ERRORS = {401: ErrorOut, 403: ErrorOut, 404: ErrorOut, 422: ErrorOut, 503: ErrorOut}


@router.get("certifications/{judge}/{criteria}/signed", response={200: SignedOut, **_ERRORS})
def signed(
    request: HttpRequest,
    judge: str,
    criteria: str,
    version: Number | None = None,
    judge_version: Number | None = None,
) -> HttpResponse:
    """The answer as a file that `gate --offline` believes for a day without server or database."""
    check_query(request, "version", "judge_version")
    token = token_of(request)
    standing = find_standing(
        judge=judge,
        criteria=criteria,
        sets=token_sets(token),
        now=timezone.now(),
        judge_version=judge_version,
        version=version,
    )
    note_reads(token=token, reads=[standing.key], now=standing.now)
    try:
        response = JsonResponse(sign_standing(standing))
    except CannotSign as problem:
        raise HttpError(503, str(problem)) from None
    response["Cache-Control"] = "no-store"
    return response


@require_safe
def signing_keys(request: HttpRequest) -> HttpResponse:
    """`/.well-known/vera-signing-keys.json`: the public keys, for everybody."""
    response = JsonResponse({"keys": public_keys()})
    response["Cache-Control"] = f"public, max-age={KEYS_MAX_AGE}"
    return response
