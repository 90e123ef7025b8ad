"""A receiver of webhooks: a real HTTP server on loopback that does with each message what a test says."""

import ssl
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from django.utils import timezone
from pytest_django import Settings
from standardwebhooks.webhooks import Webhook as Verifier

from judging.models import Delivery, Webhook
from judging.services.webhooks import add_webhook, secrets_of, send_test
from labeling.models import CriteriaSet


@dataclass(frozen=True, slots=True)
class Message:
    """What came in."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    def verified(self, secret: str) -> dict[str, Any]:
        """The payload, once the official library has accepted the signature."""
        return dict(Verifier(secret).verify(self.body, self.headers))


type Answer = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    """Keeps the message and lets the receiver's `answer` speak."""

    protocol_version = "HTTP/1.1"
    server: "Receiver"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.messages.append(Message(self.path, headers, body))
        try:
            self.server.answer(self)
        except OSError:
            self.close_connection = True  # the sender had heard enough

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


def status(code: int, text: bytes = b"", **headers: str) -> Answer:
    """An answer with this status."""

    def answer(handler: Handler) -> None:
        handler.send_response(code)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", str(len(text)))
        handler.end_headers()
        handler.wfile.write(text)

    return answer


def endless(handler: Handler) -> None:
    """A body that never ends, as fast as it is taken, for ten seconds at the most."""
    handler.send_response(200)
    handler.end_headers()
    until = time.monotonic() + 10
    while time.monotonic() < until:
        handler.wfile.write(b"x" * 65536)


def silent(handler: Handler) -> None:
    """No answer until the receiver closes."""
    handler.server.closing.wait(30)


def dripping(handler: Handler) -> None:
    """Headers that come byte by byte and never end."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Long: ")
    while not handler.server.closing.wait(0.05):
        handler.wfile.write(b"x")


class Receiver(ThreadingHTTPServer):
    """The server in a thread, for the length of a `with` block."""

    daemon_threads = True

    def __init__(self, answer: Answer | None = None, context: ssl.SSLContext | None = None) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer = answer or status(204)
        self.messages: list[Message] = []
        self.closing = threading.Event()
        self.secure = context is not None
        if context:
            self.socket = context.wrap_socket(self.socket, server_side=True)

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.server_port}"

    @property
    def url(self) -> str:
        return f"{'https' if self.secure else 'http'}://{self.host}/hook"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A sender that leaves is no error."""

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        self.shutdown()
        self.server_close()


def make_webhook(criteria_set: CriteriaSet | None, url: str) -> Webhook:
    return add_webhook(url=url, criteria_set=criteria_set)


def told(settings: Settings, receiver: Receiver, criteria_set: CriteriaSet) -> Webhook:
    """A webhook of the set that may call the receiver."""
    settings.VERA_WEBHOOK_HOSTS = [receiver.host]
    return make_webhook(criteria_set, receiver.url)


def waiting(criteria_set: CriteriaSet, url: str = "https://example.org/") -> Delivery:
    """A message that is due, to an address of its own."""
    return send_test(webhook=make_webhook(criteria_set, url), now=timezone.now())


def secret_of(webhook: Webhook) -> str:
    """The secret in force."""
    return secrets_of(webhook, webhook.created_at)[0]
