"""Criteria for tests of judging's domain."""

import json
from typing import Any

from labeling.domain.criteria import CriteriaSpec, CriterionSpec

CORRECT = CriterionSpec("correct", "States only facts from the grounding.", weight=2, minimum=1)
CLEAR = CriterionSpec("clear", "Easy to read.", required=False, scale_min=1, scale_max=5)
SPEC = CriteriaSpec((CORRECT, CLEAR))


def reply(correct: Any = 1, clear: Any = 4, **more: Any) -> str:
    """A reply about SPEC, in the agreed shape unless told otherwise."""
    entries = [
        {"name": "correct", "score": correct, "reason": "All facts hold."},
        {"name": "clear", "score": clear, "reason": "Short."},
    ]
    return json.dumps({"criteria": entries, "feedback": "Fine.", **more})
