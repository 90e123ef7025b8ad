"""Which criteria demand JSON. What is in doubt demands nothing."""

import pytest

from judging.domain.precheck import Case, run_precheck

DEMANDED = [
    "return the result as valid JSON",
    "Must be valid JSON with keys a and b.",
    "Output only JSON.",
    "Respond with a single JSON object, no prose.",
    "The response is a JSON array of strings.",
    "Answer in JSON.",
    "The output should be well-formed JSON and contain the key total.",
    "Extract name and amount as JSON.",
    "The answer must be returned as a JSON object.",
    "format: JSON",
    "the output must be JSON and must not contain comments",
    "Short and polite.\nThe output must be valid JSON.",
    "valid_json",
    "Convert the table to JSON.",
]
NOT_DEMANDED = [
    "The answer must not contain JSON.",
    "No JSON. No code. Plain prose.",
    "Answers without JSON or markup",
    "The user dislikes JSON; reply in prose.",
    "Response must be human readable, never raw JSON.",
    "Return CSV, JSON is not acceptable",
    "It should mention JSON as an example of a text format.",
    "Output should contain JSON somewhere and a summary",
    "JSON should be explained in simple words.",
    "Says that the answer is JSON.",
    "Explains how to return strict JSON.",
    "Return the answer as text; strict JSON would be a failure.",
    "The output is not valid JSON.",
    "Return JSON only when the user asks for it.",
    "Don't answer in JSON.",
    "The response shouldn't be JSON.",
    "Valid JSON is a plus.",
    "Return strict JSON is what the old version did; now write prose.",
    "Strict JSON is wrong here: write prose.",
    "Return anything but JSON.",
    "return a human sentence; JSON forbidden",
    "JSON is unwanted",
    "The answer quotes the JSON error message.",
    "The output is JSON-free.",
    "the reply is a sentence and must contain neither JSON nor XML",
    "rejects valid JSON",
    "Return a summary of the JSON file.",
    "Return a sentence about the JSON, then stop.",
    "The output is a Python script that prints valid JSON.",
    "no_json: plain text",
    "If the user wants data, return JSON.",
    "Return YAML or JSON.",
]


@pytest.mark.parametrize("criteria", DEMANDED)
def test_criteria_that_demand_json(criteria: str) -> None:
    assert run_precheck(Case("Ada owes 42.", criteria=criteria)).check == "schema_violation"
    assert run_precheck(Case('{"name": "Ada"}', criteria=criteria)).check is None


@pytest.mark.parametrize("criteria", NOT_DEMANDED)
def test_criteria_that_do_not(criteria: str) -> None:
    assert run_precheck(Case("Ada owes 42.", criteria=criteria)).check is None
