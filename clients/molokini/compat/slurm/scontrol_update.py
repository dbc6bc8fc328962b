"""``scontrol update``: jobs, nodes, partitions and reservations."""

from __future__ import annotations

from molokini.compat._types import Any, Callable, Invocation, JobRef, Values
from molokini.compat.listing import job_of
from molokini.compat.slurm import ids, sizes, times
from molokini.compat.slurm.filters import names
from molokini.compat.tool import Failed

_NODE_STATES = {
    "DRAIN": "DRAINING",
    "DRAINED": "DRAINING",
    "DRAINING": "DRAINING",
    "DOWN": "DOWN",
    "FAIL": "DOWN",
    "RESUME": "UP",
    "UNDRAIN": "UP",
    "IDLE": "UP",
}


class _NotSupported(Exception):
    """A key that cannot be changed."""


def update(run: Invocation, given: Values, words: list[str]) -> int:
    """Change what ``JobId=``, ``NodeName=`` or ``PartitionName=`` names."""
    if not words:
        raise Failed("too few arguments for update keyword")
    if any(word.lower().startswith(("reservation=", "reservationname=")) for word in words):
        return _reservation(run, words)
    said: dict[str, str] = {}
    asked = {}
    for place, word in enumerate(words):
        key, equals, value = word.partition("=")
        if not equals and not place and word.isdigit():
            key, value = "jobid", word
        elif not equals:
            if key.lower() in ("job", "jobid", "node", "nodename", "partition", "partitionname"):
                # "update job 12 ..." and "update NodeName n1 ..." are taken, too.
                key, value = key.lower(), words[place + 1] if place + 1 < len(words) else ""
            elif place and words[place - 1].lower() in said:
                continue
            else:
                raise Failed(f"Update of this parameter is not supported: {word}\nRequest aborted")
        said[key.lower().rstrip("+-")] = value
        asked[key.lower().rstrip("+-")] = word
    for keys, change in _KINDS:
        for key in keys:
            if key in said:
                try:
                    return change(run, said.pop(key), said)
                except _NotSupported as error:
                    text = f"Update of this parameter is not supported: {asked[str(error)]}"
                    raise Failed(f"{text}\nRequest aborted") from None
    raise Failed(
        'No valid entity in update command\nInput line must include "NodeName", "JobId" or "PartitionName"'
    )


def _reservation(run: Invocation, words: list[str]) -> int:
    from molokini.compat.slurm.scontrol_reserve import change

    said = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals and "reservation".startswith(key.lower()):
            continue
        if not equals:
            raise Failed(f"scontrol: error: Unknown parameter: {word[:60]}.  No reservation updated.")
        said[key.lower()] = value
    name = said.pop("reservationname", "") or said.pop("reservation", "")
    return change(run, name, said)


# Jobs.


def _job(run: Invocation, text: str, said: dict[str, str]) -> int:
    try:
        refs = ids.refs(text)
    except ValueError:
        raise Failed(f"Invalid job id specified: {text}") from None
    if not said:
        raise Failed("No changes specified")
    spec: dict[str, Any] = {}
    fields: list[str] = []
    for key, value in said.items():
        if key not in _JOB_FIELDS:
            raise _NotSupported(key)
        made = _JOB_FIELDS[key](run, refs[0], value)
        for field, one in made.items():
            fields.append(field)
            if field == "resources":
                one = {**spec.get("resources", {}), **one}
            spec[field] = one
    for number in sorted({ref["id"] for ref in refs}):
        asked = {"job": {"id": number}, "spec": spec, "fields": sorted(set(fields))}
        run.transport.call("JobService", "AlterJob", asked)
    return 0


def _limit(run: Invocation, ref: JobRef, value: str) -> dict[str, Any]:
    sign = value[:1] if value[:1] in "+-" and value[1:] else ""
    try:
        seconds = times.limit_s(value[len(sign) :])
    except ValueError:
        raise Failed("scontrol: error: Invalid TimeLimit value") from None
    if sign:
        now = job_of(run, {"id": ref["id"]}).limit_s
        seconds = now + seconds if sign == "+" else max(60.0, now - seconds)
    return {"estimate_s": times.whole_minutes(seconds)}


def _least_limit(run: Invocation, ref: JobRef, value: str) -> dict[str, Any]:
    try:
        return {"least_estimate_s": times.whole_minutes(times.limit_s(value))}
    except ValueError:
        raise Failed("scontrol: error: Invalid TimeMin value") from None


def _nice(run: Invocation, ref: JobRef, value: str) -> dict[str, Any]:
    text = value or "100"
    if not text.lstrip("+-").isdigit() or not -1023 <= int(text) <= 1024:
        raise Failed(f"Invalid Nice value, must be between -1023 and 1024: {text[:40]}")
    return {"user_priority": -int(text)}


def _begin(run: Invocation, ref: JobRef, value: str) -> dict[str, Any]:
    from molokini.compat.slurm.cluster import Clock

    try:
        return {"begin_at_s": Clock(run).instant(value, ahead=True)}
    except ValueError:
        raise Failed(f"Invalid time specification: {value[:60]}") from None


def _deadline(run: Invocation, ref: JobRef, value: str) -> dict[str, Any]:
    return {"deadline_s": _begin(run, ref, value)["begin_at_s"]}


def _requeue(run: Invocation, ref: JobRef, value: str) -> dict[str, Any]:
    if value.lower() not in ("0", "1", "yes", "no"):
        raise Failed(f"Invalid Requeue value: {value[:40]}")
    return {"requeue": value.lower() in ("1", "yes")}


def _resources(run: Invocation, ref: JobRef) -> dict[str, Any]:
    return job_of(run, {"id": ref["id"]}).resources


def _nodes(run: Invocation, ref: JobRef, value: str) -> dict[str, Any]:
    least = value.partition("-")[0]
    if not least.isdigit() or not int(least):
        raise Failed(f"Invalid node count: {value[:40]}")
    before = _resources(run, ref)
    per_node = before.get("processors_per_node") or -(-int(before.get("processors", 1)) // int(least))
    made = {**before, "nodes": int(least), "processors_per_node": per_node}
    made.pop("processors", None)
    return {"resources": made}


def _processors(run: Invocation, ref: JobRef, value: str) -> dict[str, Any]:
    least = value.partition("-")[0]
    if not least.isdigit() or not int(least):
        raise Failed(f"Invalid CPU count: {value[:40]}")
    before = _resources(run, ref)
    made = {**before, "processors": int(least)}
    if nodes := int(before.get("nodes", 0)):
        made["processors_per_node"] = -(-int(least) // nodes)
        made.pop("processors")
    return {"resources": made}


def _features(run: Invocation, ref: JobRef, value: str) -> dict[str, Any]:
    from molokini.compat.slurm.resources import features_of

    features, constraint = features_of(value)
    if "((" in constraint:
        raise Failed(f"Invalid feature specification for job {ref['id']}")
    before = _resources(run, ref)
    made = {name: one for name, one in before.items() if name not in ("features", "constraint")}
    return {"resources": {**made, "features": features, "constraint": constraint}}


def _memory(per_node: bool) -> Callable[[Invocation, JobRef, str], dict[str, Any]]:
    def change(run: Invocation, ref: JobRef, value: str) -> dict[str, Any]:
        before = _resources(run, ref)
        try:
            kb = sizes.kilobytes(value)
        except ValueError:
            raise Failed(f"Invalid memory size: {value[:40]}") from None
        on_node = int(before.get("processors_per_node") or before.get("processors", 1))
        return {"resources": {**before, "memory_kb": -(-kb // on_node) if per_node else kb}}

    return change


def _dependency(run: Invocation, ref: JobRef, value: str) -> dict[str, Any]:
    from molokini.compat.slurm import dependencies

    try:
        return {"dependencies": dependencies.asked(value) if value else []}
    except ValueError:
        raise Failed("Job dependency problem for job " + str(ref["id"])) from None


def _throttle(run: Invocation, ref: JobRef, value: str) -> dict[str, Any]:
    if not (value.isdigit() and value.isascii()) or int(value) >= 2**31:
        raise Failed(f"Invalid ArrayTaskThrottle value: {value[:40]}")
    array = job_of(run, {"id": ref["id"]}).array
    if array is None:
        raise Failed(f"Job is not a job array for job {ref['id']}")
    return {"array": {**array, "running_limit": int(value)}}


def _partitions(run: Invocation, ref: JobRef, value: str) -> dict[str, Any]:
    found = [*dict.fromkeys(names(value))]
    return {"queue": found[0], "further_queues": found[1:]} if len(found) > 1 else {"queue": value}


def _text(field: str) -> Callable[[Invocation, JobRef, str], dict[str, Any]]:
    return lambda run, ref, value: {field: value}


_JOB_FIELDS: dict[str, Callable[[Invocation, JobRef, str], dict[str, Any]]] = {
    "timelimit": _limit,
    "timemin": _least_limit,
    "name": _text("name"),
    "jobname": _text("name"),
    "partition": _partitions,
    "account": _text("account"),
    "qos": _text("qos"),
    "comment": _text("comment"),
    "nice": _nice,
    "starttime": _begin,
    "eligibletime": _begin,
    "deadline": _deadline,
    "requeue": _requeue,
    "dependency": _dependency,
    "arraytaskthrottle": _throttle,
    "features": _features,
    "numnodes": _nodes,
    "reqnodes": _nodes,
    "numcpus": _processors,
    "reqcpus": _processors,
    "numtasks": _processors,
    "minmemorynode": _memory(True),
    "minmemorycpu": _memory(False),
}


# Nodes and partitions.


def _node(run: Invocation, text: str, said: dict[str, str]) -> int:
    state = said.pop("state", "").upper()
    reason = said.pop("reason", "").strip("'\"")
    if said or state not in _NODE_STATES:
        odd = next(iter(said), None)
        text = f"{odd}={said[odd]}" if odd else f"State={state}"
        raise Failed(f"Update of this parameter is not supported: {text}\nRequest aborted")
    if state in ("DRAIN", "DRAINED", "DRAINING", "DOWN", "FAIL") and not reason:
        raise Failed(
            "You must specify a reason when DOWNING a node. Request denied"
            if state == "DOWN"
            else "You must specify a reason when DOWNING or DRAINING a node. Request denied"
        )
    asked = {"names": [text], "state": _NODE_STATES[state], "reason": reason}
    run.transport.call("ClusterService", "ChangeNodes", asked)
    return 0


def _partition(run: Invocation, name: str, said: dict[str, str]) -> int:
    from molokini.compat.slurm.cluster import partitions

    queue = next((one for one in partitions(run) if one["name"] == name), None)
    if queue is None:
        raise Failed("slurm_update error: Invalid partition name specified")
    for key, value in said.items():
        if key == "state" and value.upper() in _PARTITION_STATES:
            queue["enabled"], queue["started"] = _PARTITION_STATES[value.upper()]
        elif key == "maxtime":
            queue["max_estimate_s"] = _most(value)
        elif key == "defaulttime":
            queue["default_estimate_s"] = _limit(run, {}, value)["estimate_s"]
        else:
            raise Failed(f"Update of this parameter is not supported: {key}={value}\nRequest aborted")
    run.transport.call("ClusterService", "SetQueue", {"queue": queue})
    return 0


def _most(value: str) -> float:
    if value.upper() in ("UNLIMITED", "INFINITE"):
        return 0.0
    try:
        return times.limit_s(value)
    except ValueError:
        raise Failed("Invalid MaxTime value") from None


_PARTITION_STATES = {
    "UP": (True, True),
    "DOWN": (True, False),
    "DRAIN": (False, True),
    "INACTIVE": (False, False),
}
"""Whether jobs may be submitted, and whether they may start."""
_KINDS: tuple[tuple[tuple[str, ...], Callable[[Invocation, str, dict[str, str]], int]], ...] = (
    (("jobid", "job"), _job),
    (("nodename", "node"), _node),
    (("partitionname", "partition"), _partition),
)
