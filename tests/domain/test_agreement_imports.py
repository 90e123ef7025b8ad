"""The web process imports agreement; it must not pay for numeric libraries it does not use."""

import subprocess
import sys

HEAVY = ("numpy", "scipy", "sklearn", "statsmodels", "pandas", "litellm")
SCRIPT = """
import sys
from labeling.domain.agreement import Table, kappa, kappa_se, meets_bar
table = Table(81, 4, 3, 12)
kappa(table), kappa_se(table), meets_bar(table, 0.65)
print(*sys.modules, sep="\\n")
"""


def test_kappa_and_the_bar_load_no_numeric_library() -> None:
    ran = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)

    assert set(HEAVY).isdisjoint(ran.stdout.split())


def test_intervals_load_neither_statsmodels_nor_scikit_learn() -> None:
    more = "from labeling.domain.agreement import *\nrecall(Table(9, 1, 1, 9), 'pass')\n"
    script = SCRIPT.replace("print(", f"{more}estimate_kappa(table), mcnemar_exact(3, 4)\nprint(")

    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert "scipy" in ran.stdout.split()
    assert {"sklearn", "statsmodels", "litellm"}.isdisjoint(ran.stdout.split())
