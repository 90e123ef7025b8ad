"""Calling the API with a token."""

from collections.abc import Iterable
from typing import Any

from django.test import Client

from judging.services.tokens import create_token
from labeling.models import CriteriaSet


def client_with(scope: str, *criteria_sets: CriteriaSet) -> Client:
    """A client whose token covers these sets."""
    _, secret = create_token(name="pipeline", scopes=[scope], criteria_sets=criteria_sets)
    return Client(headers={"authorization": f"Bearer {secret}"})


def send(client: Client, *candidates: Any, criteria: str = "replies", **beside: Any) -> tuple[int, Any]:
    """Status and body of sending these candidates."""
    sent = {"criteria": criteria, "candidates": list(candidates), **beside}
    response = client.post("/api/v1/candidates", sent, content_type="application/json")
    return response.status_code, response.json()


def told(items: Iterable[dict[str, Any]], name: str) -> list[Any]:
    """One field of each item."""
    return [item[name] for item in items]
