"""inspect_ai on the benchmark's rows, in its own environment: `inspect_ai.py URL ROWS IN_FLIGHT RESULTS`.

`model_graded_qa` with three models and its majority, so that each row is three calls. Its log goes to the
folder RESULTS. Prints how many calls made the grades that are correct.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

sys.path = [place for place in sys.path if Path(place).resolve() != Path(__file__).resolve().parent]

from inspect_ai import Task, eval  # noqa: E402
from inspect_ai.dataset import MemoryDataset, Sample  # noqa: E402
from inspect_ai.model import ModelOutput  # noqa: E402
from inspect_ai.scorer import model_graded_qa  # noqa: E402
from inspect_ai.solver import solver  # noqa: E402

JURORS = 3


@solver  # type: ignore[untyped-decorator]
def given_output() -> Any:
    """The candidate that the row holds already, in place of an answer to be made."""

    async def solve(state: Any, generate: Any) -> Any:
        state.output = ModelOutput.from_content("given", state.metadata["output"])
        return state

    return solve


def main() -> None:
    url, path, in_flight, results = sys.argv[1:]
    os.environ |= {"BENCH_API_KEY": "sk-bench", "BENCH_BASE_URL": url}
    rows = [json.loads(line) for line in Path(path).read_text().splitlines()]
    samples = [
        Sample(
            input=row["request"],
            target="Polite, and it answers the question.",
            metadata={"output": row["output"]},
        )
        for row in rows
    ]
    task = Task(
        dataset=MemoryDataset(samples),
        solver=given_output(),
        scorer=model_graded_qa(model=[f"openai-api/bench/grade-juror-{number}" for number in range(JURORS)]),
    )
    # Connections are counted for each model, samples for all.
    share = max(1, int(in_flight) // JURORS)
    [log] = eval(task, model=None, max_samples=share, max_connections=share, log_dir=results, display="none")
    graded = sum(
        score.value == "C" for sample in log.samples or [] for score in (sample.scores or {}).values()
    )
    told = {"verdicts": JURORS * graded if log.status == "success" else 0}
    sys.stdout.write(json.dumps(told) + "\n")


if __name__ == "__main__":
    main()
