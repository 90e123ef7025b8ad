"""What is told of a provider's error: its own words."""

import pytest

from judging.llm_errors import detail_of


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "litellm.InternalServerError: InternalServerError: OpenAIException - Connection error.",
            "Connection error.",
        ),
        ("litellm.RateLimitError: AnthropicException - slow: down", "slow: down"),
        ("litellm.BadRequestError: VertexAIException BadRequestError - no", "no"),
        (
            "litellm.ContextWindowExceededError: litellm.BadRequestError: OpenAIException - too long",
            "too long",
        ),
        (
            "litellm.Timeout: APITimeoutError - Request timed out. Error_str: Request timed out.",
            "Request timed out. Error_str: Request timed out.",
        ),
        ("litellm.APIError: APIError: OpenAIException - Error: 5 - 3", "Error: 5 - 3"),
        ("litellm.BadRequestError: ValueError - no such thing", "no such thing"),
        ("litellm.APIConnectionError: gone", "gone"),
        ("litellm.Timeout: ", "litellm.Timeout: "),
        ("The server said: litellm.Timeout: no", "The server said: litellm.Timeout: no"),
        ("", "RuntimeError"),
    ],
)
def test_names_of_classes_are_cut_and_the_rest_stays(said: str, told: str) -> None:
    assert detail_of(RuntimeError(said), None) == told
