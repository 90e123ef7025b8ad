"""HEAD: what GET would answer, without its body."""

from collections.abc import Callable
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse


def heads(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: under /api/ a HEAD is answered as the GET of the same address, headers and status alike.

    The calls are registered for GET alone, so that the API's documentation lists each of them once.
    """

    def answer(request: HttpRequest) -> HttpResponse:
        if request.method != "HEAD" or not request.path_info.startswith("/api/"):
            return get_response(request)
        request.method = "GET"
        response = get_response(request)
        if response.status_code != HTTPStatus.NOT_MODIFIED:
            response.headers.setdefault("Content-Length", str(len(response.content)))
        response.content = b""
        request.method = "HEAD"
        return response

    return answer
