"""How far an import is, on a terminal."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tqdm import tqdm

from labeling.services.imports import Progress


@contextmanager
def progress_bar(size: int) -> Iterator[Progress | None]:
    """What an import of `size` bytes tells its progress to; None where nobody looks at a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    with tqdm(total=size, unit="B", unit_scale=True, leave=False) as bar:

        def show(bytes_read: int, rows: int, refused: int) -> None:
            bar.update(bytes_read - bar.n)
            bar.set_postfix_str(f"{rows:,} rows, {refused:,} refused", refresh=False)

        yield show
