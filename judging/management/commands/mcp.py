"""Vera's certificates for agents that speak MCP: a server over stdin and stdout that only reads."""

import os
from argparse import ArgumentParser
from typing import Any
from urllib.parse import urlsplit

from django.core.management.base import BaseCommand, CommandError


class Command(BaseCommand):
    """Asks a running Vera over its API with a token of scope `gate`; needs no database of its own."""

    help = (
        "Serve certificates to agents over MCP (stdin and stdout). It asks the Vera at --url with the token "
        "in the environment variable VERA_TOKEN, which needs the scope `gate`. See docs/mcp.md."
    )
    requires_system_checks: list[str] = []  # whose database may be unreachable from here

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--url",
            default=os.environ.get("VERA_URL", "http://127.0.0.1:8000"),
            help="where Vera is served (default: VERA_URL, else http://127.0.0.1:8000)",
        )

    def handle(self, *, url: str, **_: Any) -> None:
        token = os.environ.get("VERA_TOKEN", "")
        if not token:
            raise CommandError(
                "Put a token of scope gate into the environment variable VERA_TOKEN.", returncode=2
            )
        if problem := _problem(url, token):
            raise CommandError(problem, returncode=2)
        try:
            from judging.mcp_server import make_server
        except ModuleNotFoundError as error:
            raise CommandError(
                f"The package {error.name} is missing. Install it with: pip install 'mcp>=2.3,<3'",
                returncode=2,
            ) from None
        make_server(url, token).run("stdio")


def _problem(url: str, token: str) -> str:
    """What is wrong with address or token, in a sentence without either; "" where nothing is."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "--url is no address. Write it like https://vera.example.org"
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return "--url is no address. Write it like https://vera.example.org"
    if parts.username or parts.password:
        return "--url names a user or a password, which errors would show. Write the address without."
    return "" if token.isascii() and token.isprintable() else "VERA_TOKEN holds characters that no token has."
