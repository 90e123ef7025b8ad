"""One byte that a worker's parent and its children share: set when the worker is told to stop.

Shared memory without a lock, because a child may be killed at any moment and would keep a lock for ever.
"""

import mmap

_flag = mmap.mmap(-1, 1)


def announce() -> None:
    """Tell this process and every one forked from it to hand back its work and come to an end."""
    _flag[0] = 1


def is_stopping() -> bool:
    return _flag[0] == 1
