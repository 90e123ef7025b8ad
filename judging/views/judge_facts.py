"""What makes a judge version, in words, and what it changed of the one before."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from judging.models import JudgeVersion
from judging.services.families import Written, own_family_warnings, panel_warnings
from judging.services.plans import price_of
from judging.services.standing import Standing
from labeling.domain.toml_tables import toml_lines


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing about a version. `before` is what it was in the version before, None where it is the same."""

    name: str
    value: str
    before: str | None = None


def facts_of(version: JudgeVersion, before: JudgeVersion | None = None) -> list[Fact]:
    """Everything that makes the version, in the order in which people ask for it."""
    earlier = dict(_facts(before)) if before else {}
    return [
        Fact(name, value, earlier[name] if name in earlier and earlier[name] != value else None)
        for name, value in _facts(version)
    ]


def _facts(version: JudgeVersion) -> Iterator[tuple[str, str]]:
    if version.kind == JudgeVersion.Kind.PANEL:
        yield "Jurors", ", ".join(str(juror) for juror in version.jurors())
        yield "When they split", version.get_on_split_display()
        return
    yield "Model", version.model
    yield "Family", version.family
    yield "Address from", version.base_url_env or "the provider's own"
    yield "Key from", version.api_key_env or "what the provider's library finds"
    yield "Parameters", ", ".join(toml_lines(version.params)) or "none"
    yield "Prompt", version.template
    price = price_of(version)
    yield (
        "Price",
        f"${price[0]:f} in, ${price[1]:f} out, per million tokens" if price else "as litellm knows it",
    )


def scripted_words(version: JudgeVersion) -> str:
    """A sentence where some or all jurors only play a part; empty where all are models."""
    played = [juror.family.startswith("scripted") for juror in version.jurors()]
    if not any(played):
        return ""
    if all(played):
        return (
            "This judge is scripted: its answers are written down beforehand, and a small server gives them "
            "in place of a model."
        )
    return "Some jurors of this panel are scripted: their answers are written down beforehand."


def family_warnings(
    version: JudgeVersion, standings: Iterable[Standing], written: Mapping[int, Written]
) -> list[str]:
    """Jurors that share a family, and rows of sets the version stands on that a juror's own family wrote."""
    jurors = version.jurors()
    sets = {
        each.criteria_version.criteria_set.slug: each.criteria_version.criteria_set_id for each in standings
    }
    of_sets = [
        f"In “{slug}” {warning}"
        for slug, pk in sets.items()
        if pk in written
        for warning in own_family_warnings(jurors, written[pk])
    ]
    return panel_warnings(jurors) + of_sets
