"""The nodes of a job, as PBS Pro and Torque write them."""

from __future__ import annotations

from molokini.compat._types import Any

TYPE_CHECKING = False
if TYPE_CHECKING:
    Nodes = list[dict[str, Any]]


def exec_host(nodes: Nodes, torque: bool) -> str:
    """``n1/0*4+n2/0`` of Pro, ``n1/0-3+n2/0`` of Torque."""
    return "+".join(_host(one["node"], one["processors"], torque) for one in nodes)


def _host(name: str, count: int, torque: bool) -> str:
    if count == 1:
        return f"{name}/0"
    return f"{name}/0-{count - 1}" if torque else f"{name}/0*{count}"


def exec_vnode(nodes: Nodes, memory_kb: int) -> str:
    """``(n1:ncpus=4:mem=1048576kb)+(n2:ncpus=1)``; *memory_kb* is that of a processor."""
    return "+".join(
        f"({one['node']}:ncpus={one['processors']}"
        + (f":mem={memory_kb * one['processors']}kb)" if memory_kb else ")")
        for one in nodes
    )
