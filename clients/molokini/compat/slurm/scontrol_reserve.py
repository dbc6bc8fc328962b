"""``scontrol create reservation``, ``scontrol update reservation`` and ``scontrol delete reservation``."""

from __future__ import annotations

from molokini.compat._types import Any, Invocation, Iterable, Values
from molokini.compat.failures import Refused
from molokini.compat.slurm import hosts, times
from molokini.compat.tool import Failed

_ERROR = "scontrol: error: "
_NONE_MADE = "  No reservation created."
_ACCESS = {"users": "user", "user": "user", "groups": "group", "accounts": "account", "account": "account"}
_KEYS = frozenset(
    (
        *_ACCESS,
        *(
            "reservation",
            "reservationname",
            "starttime",
            "endtime",
            "duration",
            "nodes",
            "nodecnt",
            "nodecount",
        ),
        *("partitionname", "partition", "flags", "corecnt", "licenses"),
    )
)
_FLAGS = frozenset({"MAINT", "IGNORE_JOBS", "SPEC_NODES", "ANY_NODES"})
"""Flags of what a reservation here is anyway: on fixed nodes, whichever jobs run there now; or of licences
alone, whose jobs may run on any node.
"""


def create(run: Invocation, given: Values, words: list[str]) -> int:
    """Reserve nodes for users, groups or accounts, and print the reservation's name."""
    said = _said(words, "create")
    start_s, end_s = _times(run, said)
    access = [
        {"kind": kind, "name": name}
        for key, kind in _ACCESS.items()
        for name in said.get(key, "").split(",")
        if name
    ]
    licenses = _licenses(said, _NONE_MADE)
    alone = licenses and (said.get("nodecnt") == "0" or not {"nodes", "nodecnt", "nodecount"} & said.keys())
    nodes = [] if alone else _nodes(run, said)
    if not access:
        raise Failed(f"{_ERROR}Either Users/Groups and/or Accounts must be specified.{_NONE_MADE}")
    _check_flags(said, _NONE_MADE)
    name = said.get("reservationname") or said.get("reservation") or _free_name(run, access)
    made = {"name": name, "start_s": start_s, "end_s": end_s, "access": access, "nodes": nodes}
    if licenses:
        made["licenses"] = licenses
    try:
        found = run.transport.call("ClusterService", "CreateReservation", {"reservation": made})
    except Refused as error:
        unknown = licenses and error.code == "NOT_FOUND"
        why = "Invalid license specification" if unknown else _why(error)
        raise Failed(f"Error creating the reservation: {why}") from None
    run.say(f"Reservation created: {found['name']}")
    return 0


def change(run: Invocation, name: str, said: dict[str, str]) -> int:
    """Change a reservation by *said*: keys in small letters, with a sign where they add or take away."""
    there = run.transport.call("ClusterService", "ListReservations", {}).get("reservations", ())
    before = next((one for one in there if one["name"] == name), None)
    if before is None:
        raise _not_updated("Requested reservation is invalid")
    if not said:
        raise _not_updated("No reservation created or updated")
    kept = ("name", "processors", "start_s", "end_s", "access", "nodes", "licenses", "calendar", "depth")
    old = {key: before[key] for key in kept if key in before}
    made = {**old, **_new_times(run, old, said), "access": _new_access(old.get("access", ()), said)}
    if {"nodes", "nodecnt", "nodecount"} & said.keys():
        try:
            made["nodes"] = _nodes(run, said)
        except Failed as error:
            raise _not_updated(str(error).partition("reservation: ")[2] or str(error)) from None
        made.pop("processors", None)
    if "licenses" in said:
        made["licenses"] = _licenses(said, "  No reservation updated.")
    _check_flags(said, "  No reservation updated.")
    # The server has no call that changes one, so the old one stands again where the new one cannot.
    run.transport.call("ClusterService", "ReleaseReservation", {"name": name})
    try:
        run.transport.call("ClusterService", "CreateReservation", {"reservation": made})
    except Refused as error:
        run.transport.call("ClusterService", "CreateReservation", {"reservation": old})
        raise _not_updated(_why(error)) from None
    run.say("Reservation updated.")
    return 0


def _not_updated(why: str) -> Failed:
    return Failed(f"Error updating the reservation: {why}\nslurm_update error: {why}")


def _new_times(run: Invocation, old: dict[str, Any], said: dict[str, str]) -> dict[str, float]:
    """The times that *said* changes: an end moves with the start, unless it is given."""
    from molokini.compat.slurm.cluster import Clock

    clock, found, none = Clock(run), dict[str, float](), "  No reservation updated."
    start_s = old.get("start_s", 0.0)
    for key in ("starttime", "endtime"):
        if key not in said:
            continue
        try:
            at_s = clock.instant(said[key], ahead=True)
        except ValueError:
            text = f"Invalid time specification (pos=0): {said[key][:60]}"
            raise Failed(f"{text}\nInvalid {key[:-4]} time: {said[key][:60]}.{none}") from None
        found[f"{key[:-4]}_s"] = at_s
    if "start_s" in found and "end_s" in old:
        found.setdefault("end_s", old["end_s"] - start_s + found["start_s"])
    if "duration" in said:
        try:
            found["end_s"] = found.get("start_s", start_s) + times.limit_s(said["duration"])
        except ValueError:
            raise Failed(f"{_ERROR}Invalid duration {said['duration'][:40]}.{none}") from None
    if found.get("end_s", start_s) < found.get("start_s", start_s):
        raise Failed(f"{_ERROR}Start time cannot be after end time.{none}")
    return found


def _new_access(old: Iterable[dict[str, str]], said: dict[str, str]) -> list[dict[str, str]]:
    """Who may use it now: ``users`` in place of those before, ``users+`` besides, ``users-`` no more."""
    found = [{"kind": one["kind"], "name": one["name"]} for one in old]
    for key, value in said.items():
        kind = _ACCESS.get(key.rstrip("+-"))
        if kind is None:
            if key.rstrip("+-") not in _KEYS:
                raise Failed(f"{_ERROR}Unknown parameter: {key}={value[:60]}.  No reservation updated.")
            continue
        named = [{"kind": kind, "name": name} for name in value.split(",") if name]
        if not key.endswith(("+", "-")):
            found = [one for one in found if one["kind"] != kind]
        found = [one for one in found if one not in named]
        found += [] if key.endswith("-") else named
    return found


def _check_flags(said: dict[str, str], none: str) -> None:
    for flag in filter(None, said.get("flags", "").upper().split(",")):
        if flag not in _FLAGS or (flag == "ANY_NODES" and not said.get("licenses")):
            raise Failed(f"{_ERROR}Flags={flag[:40]} is not supported.{none}")


def _licenses(said: dict[str, str], none: str) -> dict[str, int]:
    """``matlab:5,abaqus``: counts by name, 1 where none is said."""
    found: dict[str, int] = {}
    for part in filter(None, said.get("licenses", "").split(",")):
        name, _, count = part.replace("=", ":").partition(":")
        if not name or not (count or "1").isdecimal() or not count.isascii():
            raise Failed(f"{_ERROR}Invalid license specification: {part[:60]}.{none}")
        found[name] = found.get(name, 0) + int(count or 1)
    return found


def delete(run: Invocation, given: Values, words: list[str]) -> int:
    """Give a reservation up."""
    said = _said(words, "delete")
    name = said.get("reservationname") or said.get("reservation", "")
    if not name:
        raise Failed("too few arguments for keyword:delete")
    try:
        run.transport.call("ClusterService", "ReleaseReservation", {"name": name})
    except Refused as error:
        raise Failed(f"delete_reservation {' '.join(words)}: {_why(error)}") from None
    return 0


def _why(error: Refused) -> str:
    if error.code == "NOT_FOUND":
        return "Requested reservation is invalid"
    return "Access/permission denied" if error.code == "PERMISSION_DENIED" else str(error)


def _said(words: list[str], command: str) -> dict[str, str]:
    """The keys in small letters with their values; a first word may say what is meant."""
    if not words:
        raise Failed(f"too few arguments for keyword:{command}")
    if "=" not in words[0]:
        if not "reservation".startswith(words[0].lower()):
            raise Failed(f"Invalid entity: {words[0]} for keyword:{command} ")
        words = words[1:]
    found = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or key.lower() not in _KEYS:
            raise Failed(f"{_ERROR}Unknown parameter: {word[:60]}.{_NONE_MADE}")
        found[key.lower()] = value
    return found


def _times(run: Invocation, said: dict[str, str]) -> tuple[float, float]:
    from molokini.compat.slurm.cluster import Clock

    clock = Clock(run)

    def instant(key: str) -> float:
        try:
            return max(clock.instant(said[key], ahead=True), clock.now_s)
        except ValueError:
            text = f"Invalid time specification (pos=0): {said[key][:60]}"
            raise Failed(f"{text}\nInvalid {key[:-4]} time: {said[key][:60]}.{_NONE_MADE}") from None

    if not said.get("starttime"):
        raise Failed(f"{_ERROR}A start time must be given.{_NONE_MADE}")
    start_s = instant("starttime")
    if said.get("endtime"):
        end_s = instant("endtime")
    elif said.get("duration"):
        try:
            end_s = start_s + times.limit_s(said["duration"])
        except ValueError:
            raise Failed(f"{_ERROR}Invalid duration {said['duration'][:40]}.{_NONE_MADE}") from None
    else:
        raise Failed(f"{_ERROR}An end time or duration must be given.{_NONE_MADE}")
    if start_s > end_s:
        raise Failed(f"{_ERROR}Start time cannot be after end time.{_NONE_MADE}")
    return start_s, end_s


def _nodes(run: Invocation, said: dict[str, str]) -> list[dict[str, Any]]:
    """All processors of the nodes that are named, or of the first so many that are up."""
    from molokini.compat.slurm import cluster

    every = cluster.nodes(run)
    count = said.get("nodecnt") or said.get("nodecount", "")
    partition = said.get("partitionname") or said.get("partition", "")
    if partition:
        queue = next((one for one in cluster.partitions(run) if one["name"] == partition), None)
        if queue is None:
            raise Failed("Error creating the reservation: Invalid partition name specified")
        every = cluster.nodes_of(run, queue, every)
    if count:
        up = [one for one in every if one.get("state", "UP") == "UP"]
        if not (count.isdigit() and count.isascii()) or not int(count):
            raise Failed(f"{_ERROR}Invalid node count: {count[:40]}.{_NONE_MADE}")
        if int(count) > len(up):
            why = "Requested nodes are busy" if int(count) <= len(every) else "Required node not available"
            raise Failed(f"Error creating the reservation: {why}")
        chosen = up[: int(count)]
    elif said.get("nodes", "").upper() == "ALL":
        chosen = every
    elif said.get("nodes"):
        by_name = {one["name"]: one for one in every}
        try:
            names = hosts.expanded(said["nodes"])
        except ValueError:
            names = [said["nodes"]]
        if any(name not in by_name for name in names):
            raise Failed("Error creating the reservation: Invalid node name specified")
        chosen = [by_name[name] for name in names]
    else:
        what = "CoreCnt, Nodes, NodeCnt, BurstBuffer, Licenses or Watts"
        raise Failed(f"{_ERROR}{what} must be specified.{_NONE_MADE}")
    return [{"node": one["name"], "processors": one.get("processors", 0)} for one in chosen]


def _free_name(run: Invocation, access: list[dict[str, str]]) -> str:
    """The first who may use it, and the first number that no reservation has: ``root_1``."""
    there = run.transport.call("ClusterService", "ListReservations", {}).get("reservations", ())
    known = {one["name"] for one in there}
    number = 1
    while f"{access[0]['name']}_{number}" in known:
        number += 1
    return f"{access[0]['name']}_{number}"
