"""Runs of one juror over more and more rows:
`python -m tests.benchmarks.ask_scale REQUESTS ASKED SIZE …`.

At the start it writes a set of rows for each size, and into the file REQUESTS what litellm will send for the
size ASKED, one request a line. Each turn is told a size, and answers with what a run over it took.
"""

import json
import sys
from pathlib import Path

import django

django.setup()

from judging.models import JudgeVersion  # noqa: E402
from labeling.models import CriteriaSet  # noqa: E402
from tests.benchmarks.ask_vera import one_run, requests_of, start  # noqa: E402
from tests.benchmarks.programs import take_turns  # noqa: E402
from tests.benchmarks.seed_verdicts import execute, make_rows  # noqa: E402
from tests.factories import make_criteria_set, make_judge  # noqa: E402


def sets_of(sizes: list[int]) -> dict[str, CriteriaSet]:
    """A criteria set with so many candidates, by their number."""
    sets = {}
    for size in sizes:
        sets[str(size)] = make_criteria_set(f"rows-{size}")
        make_rows(sets[str(size)], size, golden=False)
    execute("ANALYZE")
    return sets


def main() -> None:
    path, asked, sizes = Path(sys.argv[1]), sys.argv[2], [int(size) for size in sys.argv[3:]]
    juror = make_judge("juror", model="openai/juror-a")
    JudgeVersion.objects.update(base_url_env="VERA_JUROR_BENCH_URL", api_key_env="VERA_JUROR_BENCH_KEY")
    juror.refresh_from_db()
    sets = sets_of(sizes)
    measured = start(sets[asked], juror)
    path.write_text("".join(json.dumps(request) + "\n" for request in requests_of(measured)))
    measured.delete()
    take_turns(lambda size: one_run(sets[size], juror, most=3600.0))


if __name__ == "__main__":
    main()
