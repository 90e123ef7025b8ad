"""`{% pin_model judge name %}`, `{% pin_models_of run %}`: links to pin a judge to who answered."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django import template
from django.urls import reverse

from judging.domain.wrong_model import stranger_in
from judging.models import JudgeVersion, Run
from judging.services.reading import RAW_LIMIT
from judging.services.standing import named_version

register = template.Library()


@dataclass(frozen=True, slots=True)
class Pin:
    """Where `judge`, such as careful@1, is given a new version in which only `model` may answer."""

    judge: str
    model: str

    @property
    def url(self) -> str:
        slug, number = named_version(self.judge)
        return (
            reverse("judge_edit", args=[slug])
            + "?"
            + urlencode({"version": number, "expect_model": self.model})
        )


@register.inclusion_tag("judging/pin.html")
def pin_model(judge: JudgeVersion | str, model: str) -> dict[str, Any]:
    """One link; none where the provider named no model."""
    return {"pins": [Pin(str(judge), model)] if model else []}


@register.inclusion_tag("judging/pin.html")
def pin_models_of(run: Run) -> dict[str, Any]:
    """A link for each juror of a paused run in whose place another model answered."""
    stranger = stranger_in(run.pause_detail)
    jurors = run.judge_version.jurors() if stranger else []
    return {
        "pins": [
            Pin(str(juror), stranger.answered)
            for juror in jurors
            if stranger and stranger.stood_in_for(juror.model, juror.params)
        ]
    }


@register.filter
def is_cut(reply: str) -> bool:
    """Whether a kept reply is as long as replies are kept, so that it may have gone on."""
    return len(reply) >= RAW_LIMIT
