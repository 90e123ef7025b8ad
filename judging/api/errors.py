"""Every error under /api/ in one shape: `{"error": {"code", "message", "fields"?}}`."""

from collections.abc import Callable, Mapping
from http import HTTPStatus

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError

from judging.services.standing import UnknownName

_CODES = {
    400: "bad_request",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    409: "conflict",
    413: "too_large",
    422: "invalid",
    429: "too_many_requests",
}
_SENTENCES = {
    404: "There is nothing at this address. The calls are listed at /api/v1/docs.",
    405: "This address does not answer to that method. The calls are listed at /api/v1/docs.",
    500: "Something went wrong here; it is logged. Try again, and tell an administrator if it stays.",
}
_INVALID = "Some of what was sent cannot be used; see “fields”."


def error(
    status: int,
    message: str,
    fields: dict[str, str] | None = None,
    *,
    beside: Mapping[str, object] | None = None,
) -> JsonResponse:
    """An error answer; the code follows from the status. `beside`: what stands next to the error."""
    code = _CODES.get(status, "server_error" if status >= 500 else "refused")
    body: dict[str, object] = {"code": code, "message": message}
    if fields is not None:
        body["fields"] = fields
    response = JsonResponse({"error": body, **(beside or {})}, status=status)
    response["Cache-Control"] = "no-store"
    if status == HTTPStatus.UNAUTHORIZED:
        response["WWW-Authenticate"] = 'Bearer realm="vera"'
    return response


def register(api: NinjaAPI) -> None:
    """Have `api` answer what its calls raise in this shape."""

    @api.exception_handler(HttpError)
    def refused(request: HttpRequest, problem: HttpError) -> HttpResponse:
        return error(problem.status_code, problem.message)

    @api.exception_handler(UnknownName)
    def unknown(request: HttpRequest, problem: UnknownName) -> HttpResponse:
        return error(404, str(problem))

    @api.exception_handler(Http404)
    def absent(request: HttpRequest, problem: Http404) -> HttpResponse:
        return error(404, _SENTENCES[404])

    @api.exception_handler(ValidationError)
    def invalid(request: HttpRequest, problem: ValidationError) -> HttpResponse:
        fields = {str(each["loc"][-1]): str(each["msg"]) for each in problem.errors}
        return error(422, _INVALID, fields)


def json_errors(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: what Django itself answers with under /api/ (404, 405, 400, 500) has the same shape."""

    def answer(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        spoken = response.status_code < 400 or "json" in response.get("Content-Type", "")
        if spoken or not request.path_info.startswith("/api/"):
            return response
        status = HTTPStatus(response.status_code)
        plain = error(status, _SENTENCES.get(status, f"{status.phrase}: {status.description}."))
        if allowed := response.get("Allow"):
            plain["Allow"] = allowed
        return plain

    return answer
