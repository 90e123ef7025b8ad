"""Who answered in another model's place, read from the sentence that tells it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_SAID = re.compile(
    r"“(.+)” answered(?: where “(.+)” was asked\.|; only “(.+)” may \(expect_model\)\.)", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Stranger:
    """The model that `answered`; of `asked` and `pinned`, by which the judge is known, one is empty."""

    answered: str
    asked: str
    pinned: str

    def stood_in_for(self, model: str, params: Mapping[str, Any]) -> bool:
        """Whether it answered in the place of a judge with this model and these parameters."""
        if self.pinned:
            return params.get("expect_model") == self.pinned
        return model == self.asked


def stranger_in(detail: str) -> Stranger | None:
    """What `judging.domain.reply.check_model` tells; None where it names nobody who answered."""
    said = _SAID.fullmatch(detail.strip())
    return Stranger(said[1], said[2] or "", said[3] or "") if said else None
