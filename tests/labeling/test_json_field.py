"""JSON that people type: as strict as in files, and shown again as it was typed."""

import pytest
from django import forms
from django.test import Client

from labeling.forms.json_field import StrictJSONField
from tests.factories import make_criteria_set, make_judge, make_user


class AnyForm(forms.Form):
    params = StrictJSONField(required=False)


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ('{"seed": ' + "9" * 5000 + "}", "a whole number too long"),
        ('{"stop": "\\ud800"}', "a lone surrogate"),
        ('{"stop": ["\\u0000"]}', "a NUL character"),
        ('{"a": NaN}', "NaN is not JSON"),
        ('{"a": 1e999}', "is too large"),
        ('{"a": 1, "a": 2}', "appears twice"),
        ("{} {}", "Something follows"),
        ("[" * 100_000, "nested too deeply"),
        ("{", "not valid JSON"),
    ],
)
def test_refused_with_a_sentence_and_shown_as_typed(typed: str, sentence: str) -> None:
    form = AnyForm({"params": typed})

    assert sentence in form.errors["params"][0]
    assert form["params"].value() == typed


def test_read_as_it_is() -> None:
    form = AnyForm({"params": ' {"temperature": 0, "stop": ["é"]} '})

    assert form.is_valid()
    assert form.cleaned_data["params"] == {"temperature": 0, "stop": ["é"]}
    assert AnyForm({"params": ""}).is_valid()


@pytest.mark.django_db
@pytest.mark.parametrize("typed", ['{"stop": "\\ud800"}', '{"seed": ' + "9" * 5000 + "}"])
def test_pages_with_parameters_refuse_them(client: Client, typed: str) -> None:
    client.force_login(make_user(lead_of=make_criteria_set("mine")))
    make_judge("strict")
    criterion = {"criteria-TOTAL_FORMS": 1, "criteria-INITIAL_FORMS": 0, "criteria-0-params": typed}

    judge = client.post("/judges/strict/new-version/", {"model": "openai/x", "family": "x", "params": typed})
    version = client.post("/sets/mine/criteria/new/", criterion | {"threshold": "0.7"})

    assert (judge.status_code, version.status_code) == (422, 422)
