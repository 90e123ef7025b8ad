"""What makes a judge version, in words, and what it changed of the one before."""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from judging.domain.examples import identity, read_stored
from judging.domain.figures import many
from judging.domain.prompt import TEMPLATES
from judging.models import JudgeVersion, Recording
from judging.services.families import Written, own_family_warnings, panel_warnings, written_in_sets
from judging.services.known_prices import known_price
from judging.services.plans import price_of
from judging.services.standing import Standing
from labeling.domain.content import canonical_json
from labeling.domain.toml_tables import toml_lines


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing about a version. `before` is what it was in the version before, None where it is the same."""

    name: str
    value: str
    before: str | None = None


def facts_of(
    version: JudgeVersion, before: JudgeVersion | None = None, led: Collection[str] = ()
) -> list[Fact]:
    """Everything that makes the version, in the order in which people ask for it.

    `led`: slugs of the criteria sets that the reader leads; of others not even the name is told.
    """
    earlier = dict(_facts(before, led)) if before else {}
    return [
        Fact(name, value, earlier[name] if name in earlier and earlier[name] != value else None)
        for name, value in _facts(version, led)
    ]


def _facts(version: JudgeVersion, led: Collection[str]) -> Iterator[tuple[str, str]]:
    if version.kind == JudgeVersion.Kind.PANEL:
        jurors = version.jurors()
        yield "Jurors", ", ".join(str(juror) for juror in jurors)
        yield "Pinned", "to these versions: a newer one of a juror sits only in a new version of the panel"
        yield "Decides", _quorum_words(len(jurors))
        yield "When they split", version.get_on_split_display()
        return
    if version.recording is not None:
        yield from _recorded_facts(version.recording, led)
        return
    yield "Model", version.model
    yield "Family", version.family
    yield "Address from", version.base_url_env or "the provider's own"
    usual = "none, no key is sent" if version.base_url_env else "the provider's usual variable"
    yield "Key from", version.api_key_env or usual
    yield "Parameters", ", ".join(toml_lines(version.params)) or "none"
    yield "Prompt", version.template
    yield "A reply that cannot be read", _correction_words(version)
    yield "Examples", _example_words(version, led)
    yield "Price", _price_words(version)


def _recorded_facts(recording: Recording, led: Collection[str]) -> Iterator[tuple[str, str]]:
    criteria_set = recording.criteria_set.slug
    named = f"“{recording.source}” in " if recording.source else ""
    may_see = criteria_set in led
    yield "Verdicts of", f"{named}the file {recording.file_name}" if may_see else f"{named}a file"
    yield "Criteria set", criteria_set if may_see else "one that you do not lead"
    yield "Family", recording.family or "not known, so nobody can say whether it is independent"
    if may_see:
        yield "The file's SHA-256", recording.sha256[:12]


def _price_words(version: JudgeVersion) -> str:
    own, shipped = price_of(version), known_price(version.model)
    if (price := own or shipped) is None:
        return "as litellm knows it, which names none for this model"
    words = f"${price[0].normalize():f} in, ${price[1].normalize():f} out, per million tokens"
    return words if own else f"{words}, as litellm knows it"


def _quorum_words(jurors: int) -> str:
    """How many of so many jurors must agree, and what a silent one does."""
    return (
        f"by more than half of its {jurors} jurors: {jurors // 2 + 1} must say the same. One without a "
        "verdict stays in the count; where no side has so many, there is no majority, and no verdict"
    )


def _correction_words(version: JudgeVersion) -> str:
    template = TEMPLATES.get(version.template)
    asks_again = template is not None and template.correction and version.params.get("corrections", 1)
    return "sent back once, to be put right" if asks_again else "skipped at once"


def _example_words(version: JudgeVersion, led: Collection[str]) -> str:
    """How many there are and of which set, with the beginning of a hash that tells others from them."""
    if (examples := read_stored(version.examples)) is None:
        return "none"
    rows = many(len(examples.rows), "row")
    where = examples.criteria_set if examples.criteria_set in led else "a criteria set that you do not lead"
    told = hashlib.sha256(canonical_json(identity(examples)).encode()).hexdigest()
    return f"{rows} of {where} ({told[:8]})"


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


def warnings_here(version: JudgeVersion, standing: Standing) -> list[str]:
    """The same on the rows of one criteria set."""
    written = written_in_sets([standing.criteria_version.criteria_set_id])
    return family_warnings(version, [standing], written)
