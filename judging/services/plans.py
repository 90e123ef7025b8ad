"""What a worker needs to know of a run, read once: criteria, jurors and their connections."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from judging.domain.aggregation import OnSplit
from judging.domain.prompt import response_schema
from judging.models import JudgeVersion, Run
from judging.services.connections import Connection, connection_of
from labeling.domain.criteria import CriteriaSpec
from labeling.services.criteria import spec_of


@dataclass(frozen=True, slots=True)
class Juror:
    """One model of the run. `price`: US dollars per million tokens in and out, or litellm's if None."""

    version_id: int
    model: str
    family: str
    params: Mapping[str, Any]
    price: tuple[Decimal, Decimal] | None
    connection: Connection


@dataclass(frozen=True, slots=True)
class Plan:
    """A run in plain values. `criterion_ids` by name, `jurors` by judge version id.

    `spares_killed`: nobody is asked about what Layer 1 kills. A calibration asks all the same, so that the
    judge is measured on every row.
    """

    run_id: int
    criteria: CriteriaSpec
    criterion_ids: Mapping[str, int]
    schema: Mapping[str, Any]
    jurors: Mapping[int, Juror]
    on_split: OnSplit
    max_calls: int | None
    max_cost: Decimal | None
    spares_killed: bool


def plan_of(run: Run) -> Plan:
    """The plan of a run. Raises `NotConfigured` when a juror's key or address is not set up."""
    criteria = spec_of(run.criteria_version)
    return Plan(
        run_id=run.pk,
        criteria=criteria,
        criterion_ids={criterion.name: criterion.pk for criterion in run.criteria_version.criteria.all()},
        schema=response_schema(criteria),
        jurors={version.pk: _juror(version) for version in run.judge_version.jurors()},
        on_split="human" if run.on_split == "human" else "majority",
        max_calls=run.max_calls,
        max_cost=run.max_cost,
        spares_killed=run.kind == Run.Kind.SCORING,
    )


def price_of(version: JudgeVersion) -> tuple[Decimal, Decimal] | None:
    """The judge's own price in US dollars per million tokens (input, output), None where it has none."""
    if not version.price:
        return None
    return Decimal(str(version.price["input"])), Decimal(str(version.price["output"]))


def _juror(version: JudgeVersion) -> Juror:
    return Juror(
        version_id=version.pk,
        model=version.model,
        family=version.family,
        params=version.params,
        price=price_of(version),
        connection=connection_of(version),
    )
