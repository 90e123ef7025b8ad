"""Pages import the statistics of judges; only the functions that compute load numeric libraries."""

import subprocess
import sys

HEAVY = {"numpy", "scipy", "sklearn", "statsmodels", "pandas", "litellm"}
SCRIPT = """
import sys
from judging.domain import comparison, drift, looks, ordering, panel_errors, pass_rate
from labeling.domain.agreement import Table, alpha, drawn, graded

looks.look_due(looks.Plan(), (34,), 60), looks.attempt_alpha(2)
drift.watch(drift.Cusum(0.93, 0.85), [True, False])
comparison.compare([("a", True, False)]).counts.net
pass_rate.corrected_pass_rate(84, 100, Table(90, 10, 15, 85))
graded.weighted_kappa({(1, 2): 1, (3, 3): 1})
print(*sys.modules, sep="\\n")
"""


def test_importing_and_the_plain_sums_load_no_numeric_library() -> None:
    ran = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)

    assert HEAVY.isdisjoint(ran.stdout.split())
