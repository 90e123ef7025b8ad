"""DeepEval on the benchmark's rows, in an environment of its own: `deepeval.py URL ROWS IN_FLIGHT RESULTS`.

Three GEval metrics with given steps, so that each row is three calls, as a panel of three jurors is. Its
results go to the folder RESULTS, its telemetry nowhere. Prints how many metrics gave the best score.
"""

import json
import os
import sys
from pathlib import Path

os.environ |= {
    "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
    "DEEPEVAL_NO_INSPECT_PROMPT": "1",
    "DEEPEVAL_DISABLE_DOTENV": "1",
}
sys.path = [place for place in sys.path if Path(place).resolve() != Path(__file__).resolve().parent]

from deepeval import evaluate  # noqa: E402
from deepeval.evaluate import AsyncConfig, CacheConfig, DisplayConfig  # noqa: E402
from deepeval.metrics import GEval  # noqa: E402
from deepeval.models import LocalModel  # noqa: E402
from deepeval.test_case import LLMTestCase, SingleTurnParams  # noqa: E402

JURORS = 3


def metric(name: str, url: str) -> GEval:
    return GEval(
        name=name,
        evaluation_params=[SingleTurnParams.INPUT, SingleTurnParams.ACTUAL_OUTPUT],
        evaluation_steps=["Check that the output meets the criteria: polite, and it answers the question."],
        model=LocalModel(model=f"geval-{name}", base_url=url, api_key="sk-bench"),
    )


def main() -> None:
    url, path, in_flight, results = sys.argv[1:]
    rows = [json.loads(line) for line in Path(path).read_text().splitlines()]
    cases = [LLMTestCase(input=row["request"], actual_output=row["output"]) for row in rows]
    os.chdir(results)
    tested = evaluate(
        test_cases=cases,
        metrics=[metric(f"juror-{number}", url) for number in range(JURORS)],
        # It counts test cases, whose metrics are measured at once.
        async_config=AsyncConfig(max_concurrent=max(1, int(in_flight) // JURORS)),
        display_config=DisplayConfig(
            show_indicator=False, print_results=False, results_folder=results, inspect_after_run=False
        ),
        cache_config=CacheConfig(write_cache=False),
    )
    scores = [data.score for result in tested.test_results for data in result.metrics_data or []]
    sys.stdout.write(json.dumps({"verdicts": sum(score == 1 for score in scores)}) + "\n")


if __name__ == "__main__":
    main()
