"""Resource_List of a job: as it was typed, where that is still true, else as the server knows it."""

from __future__ import annotations

from molokini.compat._types import Any, Job, Remembered
from molokini.compat.pbs.sizes import in_kb
from molokini.compat.pbs.times import clock

_COUNTED = r"(?:\(([^()]*)\)|([^&()*]+))\*(\d+)"
_OF_THE_SHAPE = ("nodes", "select", "place", "ncpus", "mpiprocs", "procs", "size", "mem", "pmem")


def resource_list(job: Job, kept: Remembered, torque: bool) -> dict[str, Any]:
    """The resources by their names, in the order of the alphabet."""
    resources = job.resources
    found = _known(resources)
    same = bool(kept.made) and all(resources.get(name) == value for name, value in kept.made.items())
    for name, value in kept.asked.items():
        if name not in _OF_THE_SHAPE or same:
            found[name] = value
    found.pop("wd", None)
    if torque:
        found.setdefault("nodes", _nodes(resources))
        found["neednodes"] = found["nodes"]
        for name in ("select", "place", "mpiprocs") if "select" not in kept.asked else ():
            found.pop(name, None)
    elif "nodes" in found:
        found["place"] = "scatter"
    found["walltime"] = clock(job.limit_s)
    return dict(sorted(found.items()))


def _known(resources: dict[str, Any]) -> dict[str, Any]:
    """What the server's Resources come to."""
    total, count = resources.get("processors", 1), resources.get("nodes", 0)
    each = resources.get("processors_per_node") or (total // count if count else 0)
    if each and not count:
        count = total // each
    memory_kb = resources.get("memory_kb", 0)
    found: dict[str, Any] = {
        "ncpus": total,
        "nodect": count or 1,
        "place": "scatter" if count > 1 else "free",
    }
    if not count and total > 1:
        found["nodect"] = total
    if memory_kb:
        found["mem"] = in_kb(memory_kb * total)
    parts, size = (count, each) if count else (total, 1)
    extra = f":mem={memory_kb * size}kb" if memory_kb else ""
    for name, amount in sorted(resources.get("generic", {}).items()):
        name = "ngpus" if name == "gpu" else name
        found[name] = amount * parts
        extra += f":{name}={amount}"
    extra += "".join(f":{name}=True" for name in resources.get("features", ()))
    found["select"] = "+".join(
        f"{many}:ncpus={size}{extra}{''.join(f':{name}=True' for name in names)}"
        for many, names in _by_features(resources, parts)
    )
    return found


def _nodes(resources: dict[str, Any]) -> str:
    """As Torque asks for it."""
    total, count = resources.get("processors", 1), resources.get("nodes", 0)
    if not count:
        return "1" if total == 1 else f"{total}:ppn=1"
    each = resources.get("processors_per_node") or total // count
    features = "".join(f":{name}" for name in resources.get("features", ()))
    return "+".join(
        f"{many}:ppn={each}{features}{''.join(f':{name}' for name in names)}"
        for many, names in _by_features(resources, count)
    )


def _by_features(resources: dict[str, Any], parts: int) -> list[tuple[int, list[str]]]:
    """How many parts need which features, where they differ in them: of ``(a&b)*2&c*1`` (2, a b), (1, c)."""
    found = list[tuple[int, list[str]]]()
    if "*" not in resources.get("constraint", ""):
        return [(parts, [])]
    import re  # which few jobs need

    for names, alone, count in re.findall(_COUNTED, resources["constraint"]):
        found.append((int(count), names.split("&") if names else [alone]))
        parts -= int(count)
    return [*found, (parts, [])] if parts or not found else found
