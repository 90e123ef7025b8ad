"""Answers that may be kept for as long as they are true."""

import hashlib

from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response, patch_vary_headers


def kept(request: HttpRequest, response: HttpResponse, seconds: int, *, public: bool = False) -> HttpResponse:
    """The response with an ETag over its content and an age limit; 304 to a reader that has this very one."""
    response["ETag"] = f'"{hashlib.sha256(response.content).hexdigest()[:32]}"'
    response["Cache-Control"] = f"{'public' if public else 'private'}, max-age={seconds}"
    if not public:
        patch_vary_headers(response, ["Authorization"])
    answer = get_conditional_response(request, etag=response["ETag"], response=response)
    assert isinstance(answer, HttpResponse)
    return answer
