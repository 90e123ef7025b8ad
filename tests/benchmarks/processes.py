"""What processes use, as Linux's /proc tells it: seconds of CPU, megabytes of memory."""

import os
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
_PARENT, _TIMES = 1, slice(11, 15)  # fields of /proc/…/stat after the name: ppid; utime stime cutime cstime


def tree(pid: int) -> list[int]:
    """The process and all that descend from it now."""
    parents = {int(path.name): _parent(path) for path in Path("/proc").iterdir() if path.name.isdigit()}
    found = [pid]
    for each in found:
        found += [child for child, parent in parents.items() if parent == each]
    return found


def children(pid: int) -> list[int]:
    """The processes that it started itself."""
    return [each for each in tree(pid) if _parent(Path(f"/proc/{each}")) == pid]


def parent(pid: int) -> int:
    """The process that started it."""
    return _parent(Path(f"/proc/{pid}"))


def cpu_seconds(pid: int) -> float:
    """User and system time of the process, of what descends from it and of what has ended beneath them."""
    return sum(sum(map(int, _stat(Path(f"/proc/{each}"))[_TIMES])) for each in tree(pid)) / _TICKS


def memory(pid: int) -> dict[str, float]:
    """Megabytes: `rss`, and `pss`, in which a page shared by n processes counts as an n-th."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    kilobytes = {line.split(":")[0]: int(line.split()[1]) for line in lines}
    return {"rss": kilobytes["Rss"] / 1024, "pss": kilobytes["Pss"] / 1024}


def _parent(process: Path) -> int:
    fields = _stat(process)
    return int(fields[_PARENT]) if fields[_PARENT:] else 0


def _stat(process: Path) -> list[str]:
    """The fields after the name; zeros for a process that has just ended."""
    try:
        return (process / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ["0"] * 15
