"""The nodes of a job, as PBS Pro and Torque write them."""

from __future__ import annotations

from molokini.compat._types import Sequence


def exec_host(nodes: Sequence[tuple[str, int]], torque: bool) -> str:
    """``n1/0*4+n2/0`` of Pro, ``n1/0-3+n2/0`` of Torque."""
    return "+".join(_host(name, count, torque) for name, count in nodes)


def _host(name: str, count: int, torque: bool) -> str:
    if count == 1:
        return f"{name}/0"
    return f"{name}/0-{count - 1}" if torque else f"{name}/0*{count}"


def exec_vnode(nodes: Sequence[tuple[str, int]], memory_kb: int) -> str:
    """``(n1:ncpus=4:mem=1048576kb)+(n2:ncpus=1)``; *memory_kb* is that of a processor."""
    return "+".join(
        f"({name}:ncpus={count}:mem={memory_kb * count}kb)" if memory_kb else f"({name}:ncpus={count})"
        for name, count in nodes
    )
