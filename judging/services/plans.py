"""What a worker needs to know of a run, read once: criteria, jurors and their connections."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from judging.domain.aggregation import OnSplit
from judging.domain.examples import Examples, read_stored
from judging.domain.pacing import provider_of
from judging.domain.prompt import NEWEST, response_schema, template_named
from judging.domain.prompt_parts import Template
from judging.domain.recordings import fitting
from judging.models import JudgeVersion, RecordedVerdict, Run
from judging.services.connections import Connection, connection_of
from labeling.domain.criteria import CriteriaSpec
from labeling.services.criteria import spec_of


@dataclass(frozen=True, slots=True)
class Juror:
    """One model of the run. `price`: US dollars per million tokens in and out, or litellm's if None.

    `provider`: whose limits it falls under, see `judging.domain.pacing.provider_of`.
    `examples`: only where the run's criteria set is theirs. `schema`: of the reply, as its template asks.
    """

    version_id: int
    model: str
    family: str
    params: Mapping[str, Any]
    price: tuple[Decimal, Decimal] | None
    connection: Connection
    base_url_env: str
    provider: str
    template: Template
    examples: Examples | None
    schema: Mapping[str, Any]
    recording_id: int | None = None  # whose verdicts stand in place of answers; nothing is asked then
    fitting: frozenset[str] = frozenset()  # criteria whose recorded scores are all on their scale

    @property
    def corrects(self) -> bool:
        """Whether a reply that cannot be read for its form is sent back, once."""
        return self.template.correction is not None and bool(self.params.get("corrections", 1))


@dataclass(frozen=True, slots=True)
class Plan:
    """A run in plain values. `criterion_ids` by name, `jurors` by judge version id.

    `spares_killed`: nobody is asked about what Layer 1 kills. A calibration asks all the same, so that the
    judge is measured on every row. `stops_early`: no juror is asked whose answer cannot matter any more.
    `reuses`: what a juror answered lately to the very same question is taken over. `noted`: by which names
    the jurors were seen to answer, so that each is written down once.
    """

    run_id: int
    judge_version_id: int
    criteria_version_id: int
    criteria: CriteriaSpec
    criterion_ids: Mapping[str, int]
    jurors: Mapping[int, Juror]
    on_split: OnSplit
    max_calls: int | None
    max_cost: Decimal | None
    spares_killed: bool
    stops_early: bool
    reuses: bool
    noted: set[tuple[int, str, str]] = field(default_factory=set, compare=False)

    @property
    def asked(self) -> list[Juror]:
        """The jurors that are asked; what the others said was brought in from a file."""
        return [juror for juror in self.jurors.values() if juror.recording_id is None]


def plan_of(run: Run) -> Plan:
    """The plan of a run. Raises `NotConfigured` when a juror's key or address is not set up.

    Raises `UnknownTemplate` when a juror asks by a prompt template that this release does not have.
    """
    plan = plan_without_jurors(run)
    jurors = {version.pk: _juror(version, run, plan.criteria) for version in run.judge_version.jurors()}
    return replace(plan, jurors=jurors)


def plan_without_jurors(run: Run) -> Plan:
    """What it takes to decide on answers that are there, whether or not the jurors can be asked here."""
    return Plan(
        run_id=run.pk,
        judge_version_id=run.judge_version_id,
        criteria_version_id=run.criteria_version_id,
        criteria=spec_of(run.criteria_version),
        criterion_ids={criterion.name: criterion.pk for criterion in run.criteria_version.criteria.all()},
        jurors={},
        on_split="human" if run.on_split == "human" else "majority",
        max_calls=run.max_calls,
        max_cost=run.max_cost,
        spares_killed=run.kind in (Run.Kind.SCORING, Run.Kind.CONSISTENCY),
        stops_early=run.stops_early,
        reuses=run.reuses,
    )


def price_of(version: JudgeVersion) -> tuple[Decimal, Decimal] | None:
    """The judge's own price in US dollars per million tokens (input, output), None where it has none."""
    if not version.price:
        return None
    return Decimal(str(version.price["input"])), Decimal(str(version.price["output"]))


def examples_for(version: JudgeVersion, criteria_set_slug: str) -> Examples | None:
    """The examples that a model is shown under this criteria set: its own, where they are of that set."""
    examples = read_stored(version.examples)
    return examples if examples is not None and examples.criteria_set == criteria_set_slug else None


def _juror(version: JudgeVersion, run: Run, criteria: CriteriaSpec) -> Juror:
    if version.recording_id is not None:
        return _recorded_juror(version, version.recording_id, criteria)
    return Juror(
        version_id=version.pk,
        model=version.model,
        family=version.family,
        params=version.params,
        price=price_of(version),
        connection=connection_of(version),
        base_url_env=version.base_url_env,
        provider=provider_of(version),
        template=template_named(version.template),
        examples=examples_for(version, run.criteria_version.criteria_set.slug),
        schema=response_schema(criteria, version.template),
    )


def _recorded_juror(version: JudgeVersion, recording_id: int, criteria: CriteriaSpec) -> Juror:
    """One that nobody is asked for: it has neither provider nor key, and its template is never used."""
    scores = RecordedVerdict.objects.filter(recording=recording_id).exclude(scores={})
    return Juror(
        version_id=version.pk,
        model="",
        family=version.family,
        params={},
        price=None,
        connection=Connection(None, None),
        base_url_env="",
        provider="",
        template=template_named(NEWEST),
        examples=None,
        schema={},
        recording_id=recording_id,
        fitting=fitting(criteria, scores.values_list("scores", flat=True).iterator(chunk_size=2000)),
    )
