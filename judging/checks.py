"""Settings about judges that cannot do what they were set for."""

import re
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, register

_HOST = re.compile(r"(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(:\d{1,5})?\Z")


@register
def juror_hosts(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """An entry of the allow-list that is no host would refuse every address without a word."""
    return [
        Error(
            f"VERA_JUROR_HOSTS holds {entry!r}, which is no host.",
            hint="Name hosts, such as llm.internal or llm.internal:8080: no http://, no path, no *.",
            id="judging.E001",
        )
        for entry in settings.VERA_JUROR_HOSTS
        if not _HOST.match(entry)
    ]
