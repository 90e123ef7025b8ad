"""A new version of a model or of a panel."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.db.models import F, Q, QuerySet
from django.forms.fields import InvalidJSONInput
from django.http import QueryDict
from django.utils.html import format_html

from judging.domain.examples import read_stored
from judging.domain.judges import InvalidJudge, Price, context_words
from judging.domain.prompt import NEWEST
from judging.forms.examples import LONGEST_ID, ExamplesForm, examples_of
from judging.models import JudgeVersion
from judging.services.families import panel_warnings
from judging.services.judges import add_model_version, add_panel_version
from judging.services.plans import price_of
from labeling.access import AnyUser
from labeling.forms.json_field import StrictJSONField

_SLUG_HELP = "In addresses and commands, such as careful-reader. It never changes."


class ModelForm(forms.Form):
    """One model. `slug` is left out where the judge exists; `base`: the version that the form starts from."""

    slug = forms.SlugField(label="Short name", max_length=80, help_text=_SLUG_HELP)
    model = forms.CharField(
        max_length=200,
        help_text="As litellm knows it, such as openai/gpt-4o-mini, anthropic/claude-3-5-haiku-latest or "
        "openai/NAME for any OpenAI-compatible server.",
    )
    family = forms.CharField(
        max_length=80,
        help_text="Who made the model, such as openai. No judge is independent of its own family's answers.",
    )
    api_key_env = forms.CharField(
        label="Variable that holds the key",
        required=False,
        max_length=80,
        help_text="The name, never the key itself: a provider's usual one, such as OPENAI_API_KEY, or one "
        "that starts with VERA_JUROR_.",
    )
    base_url_env = forms.CharField(
        label="Variable that holds the address",
        required=False,
        max_length=80,
        help_text="Only for a server of your own, such as VERA_JUROR_HOUSE_URL. "
        "An administrator allows its host in VERA_JUROR_HOSTS.",
    )
    params = StrictJSONField(
        label="Parameters",
        required=False,
        initial={"temperature": 0},
        widget=forms.TextInput,
        help_text=format_html(
            "Sent with each question, as JSON: <code>{}</code>. With <code>{}</code> in it a reply that "
            "cannot be read is not sent back once; with <code>{}</code> only the model of that very name may "
            "answer; with <code>{}</code>, the model's context, what does not fit is not sent.",
            '{"temperature": 0, "max_tokens": 2000}',
            '"corrections": 0',
            '"expect_model": "gpt-4o-2024-08-06"',
            '"context_tokens": 8192',
        ),
    )
    price_input = forms.DecimalField(
        label="Price of input",
        required=False,
        min_value=0,
        max_value=1_000_000,
        help_text="US dollars per million tokens. Only where litellm does not know the model's price.",
    )
    price_output = forms.DecimalField(
        label="Price of output", required=False, min_value=0, max_value=1_000_000, help_text="Likewise."
    )
    template = forms.ChoiceField(
        label="Wording of the prompt",
        required=False,
        help_text="A published wording never changes, so that a judge is asked the same for ever.",
    )

    def __init__(
        self, data: QueryDict | None = None, *, user: AnyUser, base: JudgeVersion | None = None, **kwargs: Any
    ) -> None:
        super().__init__(data, **kwargs)
        held = read_stored(base.examples) if base else None
        self.examples = ExamplesForm(data, user=user, held=held, initial=kwargs.get("initial"))
        if base is None or base.template == NEWEST:
            del self.fields["template"]  # only an older wording leaves anything to choose
            return
        field = self.fields["template"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [
            ("", f"{base.template} if nothing else changes, else {NEWEST}"),
            (NEWEST, NEWEST),
            (base.template, f"{base.template} in any case"),
        ]

    @property
    def warnings(self) -> list[str]:
        """What to know about the model that the form shows."""
        shown = {name: self[name].value() for name in ("family", "base_url_env")}
        params = self.cleaned_data.get("params") if self.is_bound else self.initial.get("params")
        known = params if isinstance(params, dict) else {}
        return context_words(str(shown["family"] or ""), str(shown["base_url_env"] or ""), known)

    def is_valid(self) -> bool:
        return super().is_valid() and self.examples.is_valid()

    def clean_params(self) -> dict[str, Any]:
        params = self.cleaned_data["params"] or {}
        if not isinstance(params, dict):
            raise forms.ValidationError('Parameters look like {"temperature": 0}.')
        return params

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        given = [cleaned.get(name) is not None for name in ("price_input", "price_output")]
        if any(given) and not all(given) and not self.errors:
            self.add_error("price_output", "A price has both parts. Fill in the other one, or neither.")
        return cleaned

    def save(self, slug: str, actor: AnyUser) -> JudgeVersion:
        """The version that this form describes. Raises `InvalidJudge`."""
        asked = self.cleaned_data
        price = None
        if asked["price_input"] is not None:
            price = Price(asked["price_input"], asked["price_output"])
        made_of = {name: asked[name] for name in ("model", "family", "base_url_env", "api_key_env", "params")}
        return add_model_version(
            slug=slug,
            price=price,
            template=asked.get("template", ""),
            examples=self.examples.choice,
            keep_examples=self.examples.hidden is not None,
            actor=actor,
            **made_of,
        )

    @staticmethod
    def typed(data: QueryDict) -> dict[str, Any]:
        """What was filled in so far, to show it again without judging it."""
        names = (*ModelForm.base_fields, *ExamplesForm.base_fields)
        typed: dict[str, Any] = {name: data[name] for name in names if name in data}
        if "params" in typed:
            typed["params"] = InvalidJSONInput(typed["params"])
        return typed | {"example_rows": data.getlist("example_rows")}

    @staticmethod
    def initial_of(version: JudgeVersion) -> dict[str, Any]:
        """A version as the form shows it."""
        price = price_of(version) or (None, None)
        names = ("model", "family", "base_url_env", "api_key_env", "params")
        return {name: getattr(version, name) for name in names} | {
            "price_input": price[0],
            "price_output": price[1],
            **examples_of(version),
        }


def pinned_to(model: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters with `model` as the only one that may answer."""
    rest = {name: value for name, value in params.items() if name != "answers_as"}
    return rest | {"expect_model": model}


class MembersField(forms.ModelMultipleChoiceField[JudgeVersion]):
    """Models to choose from, each with what tells it from the others."""

    def label_from_instance(self, obj: JudgeVersion) -> str:
        state = "live" if obj.pk == obj.judge.live_version_id else "not live"
        about = f"recorded, {obj.recording}" if obj.recording is not None else obj.model
        return f"{obj.judge.slug}, version {obj.number} ({state}): {about}, {obj.family or 'family unknown'}"

    def clean(self, value: Any) -> QuerySet[JudgeVersion]:
        if too_long := next((each for each in value or () if len(str(each)) > LONGEST_ID), None):
            raise forms.ValidationError(
                self.error_messages["invalid_choice"],
                code="invalid_choice",
                params={"value": too_long[:LONGEST_ID]},
            )
        return super().clean(value)


class PanelForm(forms.Form):
    """A panel of models, each at one of its versions. `slug` is left out where the panel exists."""

    slug = forms.SlugField(label="Short name", max_length=80, help_text=_SLUG_HELP)
    members = MembersField(
        label="Jurors",
        queryset=JudgeVersion.objects.none(),
        widget=forms.CheckboxSelectMultiple,
        help_text="Two or more, of different families: jurors that err together are one juror.",
    )
    on_split = forms.ChoiceField(
        label="When they split",
        choices=JudgeVersion.OnSplit.choices,
        help_text="A panel passes or fails by more than half of its jurors, skipped ones included.",
    )

    def __init__(self, *args: Any, user: AnyUser, base: JudgeVersion | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.seated: list[int] = list(self.initial.get("members", []))
        field = self.fields["members"]
        assert isinstance(field, MembersField)
        field.queryset = _possible_members(self.seated)

    @property
    def warnings(self) -> list[str]:
        """What to know about the jurors that are chosen."""
        chosen = self["members"].value() or []
        pks = {str(pk) for pk in chosen}
        return panel_warnings([juror for juror in _possible_members(self.seated) if str(juror.pk) in pks])

    def save(self, slug: str, actor: AnyUser) -> JudgeVersion:
        """The version that this form describes; who sat already keeps the order. Raises `InvalidJudge`."""
        chosen = {member.pk: member for member in self.cleaned_data["members"].select_related("judge")}
        order = [pk for pk in self.seated if pk in chosen]
        order += [pk for pk in chosen if pk not in order]
        return add_panel_version(
            slug=slug,
            members=[chosen[pk] for pk in order],
            on_split=self.cleaned_data["on_split"],
            actor=actor,
        )

    @staticmethod
    def initial_of(version: JudgeVersion) -> dict[str, Any]:
        """A version as the form shows it."""
        return {"members": [juror.pk for juror in version.jurors()], "on_split": version.on_split}


def _possible_members(seated: list[int]) -> QuerySet[JudgeVersion]:
    """Models and recorded judges: each one's live version, what is newer, and who sits already."""
    models = JudgeVersion.objects.exclude(kind=JudgeVersion.Kind.PANEL).select_related(
        "judge__live_version", "recording__criteria_set"
    )
    current = models.filter(Q(number__gte=F("judge__live_version__number")) | Q(pk__in=seated))
    return current.order_by("judge__slug", "number")


FORMS: dict[str, type[ModelForm] | type[PanelForm]] = {"model": ModelForm, "panel": PanelForm}


def try_to_save(form: ModelForm | PanelForm, slug: str | None, actor: AnyUser) -> JudgeVersion | None:
    """The new version, or None with what is wrong written on the form. `slug`: None where the form asks."""
    if not form.is_valid():
        return None
    try:
        return form.save(slug or form.cleaned_data["slug"], actor)
    except InvalidJudge as refusal:
        form.add_error(None, str(refusal))
        return None
