"""A model on a server of one's own: what to ask for, from which a judge is made."""

from decimal import Decimal
from typing import Any

from django import forms

from judging.domain.judges import InvalidJudge, Price
from judging.domain.local_servers import SERVERS
from judging.models import JudgeVersion
from judging.services.judges import add_model_version
from labeling.access import AnyUser

_FREE = Price(Decimal(0), Decimal(0))
_OLLAMA_CUTS = (
    "Ollama cuts the beginning of what does not fit and says nothing, so its context must be known here. "
    "“ollama ps” shows it while the model is loaded. Where you set nothing, write 4096: Ollama gives at "
    "least that."
)


class LocalForm(forms.Form):
    """One model at an OpenAI-compatible server."""

    server = forms.ChoiceField(
        label="Server", choices=[(each.key, each.label) for each in SERVERS.values()], initial="ollama"
    )
    model = forms.CharField(
        label="The model's name there",
        max_length=180,
        help_text="Exactly as the server writes it, such as qwen3:8b or Qwen/Qwen3-8B. "
        "“ollama list”, or the server's address with /models behind it, lists them.",
    )
    family = forms.CharField(
        max_length=80,
        help_text="Who made the model, such as qwen or llama. No judge is independent of its own family's "
        "answers.",
    )
    slug = forms.SlugField(
        label="Short name",
        max_length=80,
        help_text="In addresses and commands, such as house-qwen. It never changes.",
    )
    base_url_env = forms.CharField(
        label="Variable that holds the address",
        required=False,
        max_length=80,
        help_text="Left empty it is VERA_JUROR_OLLAMA_URL for Ollama and likewise for the others. A second "
        "server of a kind needs a name of its own.",
    )
    api_key_env = forms.CharField(
        label="Variable that holds the key",
        required=False,
        max_length=80,
        help_text="Only where the server asks for a key: the name of the variable, never the key itself.",
    )
    context_tokens = forms.IntegerField(
        label="The model's context, in tokens",
        required=False,
        min_value=512,
        max_value=100_000_000,
        help_text="What does not fit is then skipped as too long instead of being cut where nobody sees it. "
        "For Ollama it is needed: “ollama ps” shows it while the model is loaded. 4096 is what it gives at "
        "least; for more, start it with OLLAMA_CONTEXT_LENGTH=8192 and write 8192. It is vLLM's "
        "--max-model-len, llama.cpp's --ctx-size divided by --parallel.",
    )
    max_tokens = forms.IntegerField(
        label="Longest reply, in tokens",
        required=False,
        min_value=50,
        max_value=1_000_000,
        initial=1500,
        help_text="A model that thinks before it answers needs more, such as 8000.",
    )

    def clean_model(self) -> str:
        name: str = self.cleaned_data["model"]
        if any(letter.isspace() or not letter.isprintable() for letter in name):
            raise forms.ValidationError(
                "A model's name has no space in it. Write it exactly as the server does."
            )
        return name

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        context, reply = cleaned.get("context_tokens"), cleaned.get("max_tokens")
        if context and reply and reply >= context:
            self.add_error("max_tokens", "The reply must leave room for the question in the model's context.")
        if cleaned.get("server") == "ollama" and context is None and "context_tokens" not in self.errors:
            self.add_error("context_tokens", _OLLAMA_CUTS)
        return cleaned

    def save(self, actor: AnyUser) -> JudgeVersion | None:
        """The new judge; None, with what is wrong on the form, where that cannot be."""
        asked = self.cleaned_data
        limits = {name: asked[name] for name in ("context_tokens", "max_tokens") if asked[name]}
        try:
            return add_model_version(
                slug=asked["slug"],
                model=f"openai/{asked['model'].strip()}",
                family=asked["family"],
                base_url_env=asked["base_url_env"] or SERVERS[asked["server"]].variable,
                api_key_env=asked["api_key_env"],
                params={"temperature": 0} | limits,
                price=_FREE,
                actor=actor,
            )
        except InvalidJudge as refusal:
            self.add_error(None, str(refusal))
            return None
