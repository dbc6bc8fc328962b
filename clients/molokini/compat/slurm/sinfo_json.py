"""Nodes as ``sinfo --json`` writes them: the names and kinds of values of Slurm 22.05 (v0.0.38)."""

from __future__ import annotations

import json

from molokini.compat._types import Any, Sequence
from molokini.compat.slurm.envelopes import enveloped
from molokini.compat.slurm.nodes import state_of


def document(among: list[tuple[dict[str, Any], bool, list[dict[str, Any]]]], words: Sequence[str]) -> str:
    """All nodes of the partitions *among*, each once."""
    where: dict[str, list[str]] = {}
    by_name: dict[str, dict[str, Any]] = {}
    for queue, _, nodes in among:
        for node in nodes:
            where.setdefault(node["name"], []).append(queue["name"])
            by_name[node["name"]] = node
    found = [_node(node, where[name]) for name, node in by_name.items()]
    return json.dumps(enveloped("sinfo", words, {"nodes": found}), indent=2)


def _node(node: dict[str, Any], partitions: list[str]) -> dict[str, Any]:
    processors, used = int(node.get("processors", 0)), int(node.get("processors_used", 0))
    memory, taken = int(node.get("memory_kb", 0)) // 1024, int(node.get("memory_used_kb", 0)) // 1024
    state = state_of(node)
    drains = state in ("draining", "drained")
    base = "down" if state == "down" else "mixed" if state == "draining" else "idle" if drains else state
    generic, generic_used = node.get("generic", {}), node.get("generic_used", {})
    return {
        "architecture": "x86_64",
        "boards": 1,
        "cores": processors,
        "cpus": processors,
        "cpu_load": None,
        "free_memory": None,
        "active_features": ",".join(node.get("features", ())),
        "features": ",".join(node.get("features", ())),
        "gres": ",".join(f"{name}:{count}" for name, count in generic.items()),
        "gres_drained": "N/A",
        "gres_used": ",".join(f"{name}:{generic_used.get(name, 0)}" for name in generic),
        "name": node["name"],
        "address": node["name"],
        "hostname": node["name"],
        "state": base,
        "state_flags": ["DRAIN"] if drains else [],
        "next_state_after_reboot": "invalid",
        "operating_system": "Linux",
        "owner": None,
        "partitions": partitions,
        "port": 0,
        "real_memory": memory or 1,
        "reason": node.get("reason", ""),
        "reason_changed_at": 0,
        "reason_set_by_user": None,
        "slurmd_start_time": 0,
        "sockets": 1,
        "threads": 1,
        "temporary_disk": 0,
        "weight": 1,
        "tres": f"cpu={processors},mem={memory or 1}M,billing={processors}",
        "slurmd_version": "22.05.8",
        "alloc_memory": taken,
        "alloc_cpus": used,
        "idle_cpus": processors - used,
        "tres_used": f"cpu={used}" if used else None,
        "tres_weighted": 0.0,
        "boot_time": 0,
        "burstbuffer_network_address": "",
        "comment": "",
        "cpu_binding": 0,
        "extra": "",
        "last_busy": 0,
        "mcs_label": "",
        "next_state_after_reboot_flags": [],
    }
