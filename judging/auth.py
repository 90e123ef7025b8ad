"""API tokens at the door: who presents one, and what for."""

import hashlib
import hmac
import re
from datetime import datetime

from django.http import HttpRequest
from django.utils import timezone
from ninja.errors import HttpError
from ninja.security import HttpBearer

from judging.models import ApiToken

PREFIX = "vera_"
_SECRET = re.compile(PREFIX + r"[A-Za-z0-9_-]{43}")  # a judge's slug may begin like a token
_NAMES_IN_URL = re.compile(r"(^|[?&])(access_?token|token|api_?key|key|authorization|bearer)=", re.IGNORECASE)

MISSING = "Send an API token in the header “Authorization: Bearer …”."
IN_URL = (
    "A token in an address ends up in logs and histories, so it is refused. "
    "Revoke it and send its successor in the header “Authorization: Bearer …”."
)
NOT_VALID = "This token is unknown, revoked or expired. Ask an administrator for another one."


def digest_of(secret: str) -> str:
    """What is stored of a token. 256 random bits need no slow hash."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def find_token(secret: str, now: datetime) -> ApiToken | None:
    """The token in force with this secret. It is looked up by digest, so time tells nothing of the secret."""
    digest = digest_of(secret)
    token = ApiToken.objects.filter(digest=digest).first()
    if token is None or not hmac.compare_digest(token.digest, digest):
        return None
    return token if token.is_in_force(now) else None


class Bearer(HttpBearer):
    """Demands a token in the header, with one of `scopes`, or `admin`, among its scopes."""

    def __init__(self, *scopes: str) -> None:
        super().__init__()
        self.scopes = scopes

    def __call__(self, request: HttpRequest) -> ApiToken:
        refuse_token_in_url(request)
        scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer":  # not left to ninja, which may log what it cannot read
            raise HttpError(401, MISSING)
        return self.authenticate(request, secret)

    def authenticate(self, request: HttpRequest, token: str) -> ApiToken:
        found = find_token(token.strip(), timezone.now())
        if found is None:
            raise HttpError(401, NOT_VALID)
        if not any(map(found.allows, self.scopes)):
            lacks = " or ".join(f"“{scope}”" for scope in self.scopes)
            raise HttpError(403, f"This token lacks the scope {lacks}. Ask for one that has it.")
        return found


def refuse_token_in_url(request: HttpRequest) -> None:
    """Refuse a request whose address carries a token, valid or not, before anything is looked up."""
    query = request.META.get("QUERY_STRING", "")
    if _NAMES_IN_URL.search(query) or _SECRET.search(query):
        raise HttpError(401, IN_URL)
