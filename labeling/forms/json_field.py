"""JSON that people type into a form."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms.fields import InvalidJSONInput

from labeling.domain.content import text_problem
from labeling.formats.strict_json import StrictDecoder


class StrictJSONField(forms.JSONField):
    """JSON as strict as in files. A refused form shows it again just as it was typed."""

    def to_python(self, value: Any) -> Any:
        if not isinstance(value, str) or value in self.empty_values:
            return super().to_python(value)
        typed = value.strip()
        try:
            made, end, problem = StrictDecoder().decode(typed)
        except ValueError as error:
            raise ValidationError(str(error)) from error
        if problem or end != len(typed):
            raise ValidationError(problem or "Something follows the JSON; leave it out.")
        if sentence := _text_problem(made):
            raise ValidationError(sentence)
        return made

    def bound_data(self, data: Any, initial: Any) -> Any:
        return data if data is None else InvalidJSONInput(data)


def _text_problem(value: Any) -> str | None:
    """Why some text in a JSON value cannot be stored, else None."""
    if isinstance(value, str):
        return text_problem(value)
    inner = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
    return next(filter(None, map(_text_problem, inner)), None)
