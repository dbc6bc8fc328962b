"""``-gpu``: how many, for a task or for a host."""

from __future__ import annotations

from molokini.compat._types import Mapping
from molokini.compat.lsf.quantities import whole

_NO_MATTER = ("mode", "mps", "j_exclusive", "aff", "block")


def gpus(text: str, resources: Mapping[str, object]) -> int:
    """GPUs of each host, where *resources* lay out the job over hosts; else of each slot. Or ValueError."""
    number, per = 1, "host"
    for part in text.split(":"):
        name, equals, value = part.strip().partition("=")
        if name == "num" and equals:
            amount, slash, unit = value.partition("/")
            number, per = whole(amount, "number of GPUs", 1), unit if slash else "host"
        elif name not in _NO_MATTER and part.strip() != "-":
            raise ValueError(f"-gpu {text[:60]} is not supported: num, mode, mps and j_exclusive are")
    if per not in ("host", "task"):
        raise ValueError(f"-gpu {text[:60]}: Bad GPU requirement: expected num=N, num=N/host or num=N/task")
    slots, hosts = resources["processors"], resources.get("nodes", 0)
    assert isinstance(slots, int)
    assert isinstance(hosts, int)
    if per == "task":
        return number * (slots // hosts) if hosts else number
    if not hosts and slots > 1:
        raise ValueError(
            f"-gpu {text[:60]} is not supported: GPUs of a host need -R 'span[hosts=1]' or 'span[ptile=N]'; "
            "num=N/task does not"
        )
    return number
