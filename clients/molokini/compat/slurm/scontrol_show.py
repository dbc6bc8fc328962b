"""What scontrol shows."""

from __future__ import annotations

from molokini.compat._types import Callable, Invocation, Iterable, Values
from molokini.compat.failures import Refused
from molokini.compat.listing import job_of
from molokini.compat.slurm import ids
from molokini.compat.slurm.general import VERSION
from molokini.compat.tool import Failed


def show(run: Invocation, given: Values, words: list[str]) -> int:
    """Show records of one kind."""
    if not words:
        raise Failed("too few arguments for keyword:show")
    kind, equals, named = words[0].partition("=")
    behind = [named, *words[1:]] if equals else words[1:]
    for names, shown in _KINDS:
        if any(name.startswith(kind.lower()) and len(kind) > 2 for name in names):
            return shown(run, given, behind)
    raise Failed(f"invalid entity:{words[0]} for keyword:show ")


def _records(run: Invocation, given: Values, records: Iterable[list[str]]) -> None:
    """Each record as lines, or as one."""
    found = list(records)
    for lines in found:
        if given.flag("oneliner"):
            run.say(" ".join(line.strip() for line in lines))
        else:
            run.say("\n".join([lines[0], *(f"   {line}" for line in lines[1:])]) + "\n")


def _jobs(run: Invocation, given: Values, words: list[str]) -> int:
    from molokini.compat.slurm.cluster import kept_since_s
    from molokini.compat.slurm.listing import MOST_EXPECTED, expect, mark_first, measure, views
    from molokini.compat.slurm.needs import EVERYTHING
    from molokini.compat.slurm.records import job_lines

    try:
        refs = ids.refs(words[0].removeprefix("JobId=")) if words else []
    except ValueError:
        raise Failed("scontrol_print_job error: Invalid job id specified") from None
    asks = not words or (refs and refs[0]["id"])
    asked = {"include_ended": True, "ended_since_s": kept_since_s(run)}
    lines = views(run, asked, EVERYTHING, False, refs) if asks else []
    measure(run, lines)
    if len(lines) <= MOST_EXPECTED:
        expect(run, lines)
    if not lines:
        if words:
            raise Failed("slurm_load_jobs error: Invalid job id specified")
        run.say("No jobs in the system")
        return 0
    mark_first(run, lines)
    _records(run, given, (job_lines(view, given.flag("details")) for view in lines))
    return 0


def _nodes(run: Invocation, given: Values, words: list[str]) -> int:
    from molokini.compat.slurm import cluster
    from molokini.compat.slurm.hosts import expanded
    from molokini.compat.slurm.records import node_lines

    found = cluster.nodes(run)
    queues = cluster.partitions(run)
    if words:
        by_name = {one["name"]: one for one in found}
        try:
            names = expanded(words[0].removeprefix("NodeName="))
        except ValueError:
            names = [words[0]]
        for name in names:
            if name not in by_name:
                run.say(f"Node {name} not found")
                return 1
        found = [by_name[name] for name in names]
    everywhere = {queue["name"]: cluster.nodes_of(run, queue, found) for queue in queues}
    _records(run, given, (node_lines(one, everywhere) for one in found))
    return 0


def _partitions(run: Invocation, given: Values, words: list[str]) -> int:
    from molokini.compat.slurm import cluster
    from molokini.compat.slurm.records import partition_lines

    queues = cluster.partitions(run)
    all_nodes = cluster.nodes(run)
    wanted = words[0].removeprefix("PartitionName=") if words else ""
    if wanted and wanted not in [queue["name"] for queue in queues]:
        run.say(f"Partition {wanted} not found")
        return 1
    _records(
        run,
        given,
        (
            partition_lines(queue, place == 0, cluster.nodes_of(run, queue, all_nodes))
            for place, queue in enumerate(queues)
            if not wanted or queue["name"] == wanted
        ),
    )
    return 0


def _reservations(run: Invocation, given: Values, words: list[str]) -> int:
    from molokini.compat.slurm.cluster import Clock
    from molokini.compat.slurm.records import reservation_lines

    found = run.transport.call("ClusterService", "ListReservations", {}).get("reservations", [])
    if words:
        wanted = words[0].removeprefix("ReservationName=")
        found = [one for one in found if one["name"] == wanted]
        if not found:
            run.say(f"Reservation {wanted} not found")
            return 1
    if not found:
        run.say("No reservations in the system")
        return 0
    now_s = Clock(run).now_s
    _records(run, given, (reservation_lines(one, now_s) for one in found))
    return 0


def _config(run: Invocation, given: Values, words: list[str]) -> int:
    from molokini.compat.slurm.configuration import lines

    run.say("\n".join(lines(run)))
    return 0


def _hostnames(run: Invocation, given: Values, words: list[str]) -> int:
    from molokini.compat.slurm.hosts import expanded

    text = words[0] if words else run.variables.get("SLURM_JOB_NODELIST", "")
    if not text:
        raise Failed("scontrol: error: No hostlist given, and SLURM_JOB_NODELIST is not set", 1)
    try:
        names = expanded(text)
    except ValueError:
        raise Failed(f"Invalid hostlist: {text}") from None
    run.say("\n".join(names))
    return 0


def _hostlist(run: Invocation, given: Values, words: list[str]) -> int:
    from molokini.compat.slurm.hosts import compressed, expanded

    if not words:
        raise Failed("Hostlist is NULL")
    try:
        if words[0].startswith("/"):
            with open(words[0], encoding="utf-8") as file:
                names = file.read().split()
        else:
            names = expanded(words[0])
    except (OSError, ValueError):
        raise Failed(f"Invalid hostlist: {words[0]}") from None
    run.say(compressed(names))
    return 0


def _steps(run: Invocation, given: Values, words: list[str]) -> int:
    """The batch steps of jobs that run; no other step is known to the server."""
    from molokini.compat.slurm.listing import views
    from molokini.compat.slurm.needs import EVERYTHING
    from molokini.compat.slurm.records import step_lines

    try:
        refs = ids.refs(words[0]) if words else []
    except ValueError:
        refs = [{"id": 0}]
    lines = views(run, {}, EVERYTHING, False, refs) if not refs or refs[0]["id"] else []
    found = [one for one in lines if one.allocated and one.state == "RUNNING"]
    if refs and not found:
        run.say(f"Job step {words[0]} not found")
        return 1
    _records(run, given, (step_lines(view) for view in found))
    return 0


def _nothing(run: Invocation, given: Values, words: list[str]) -> int:
    """There is none of these, which is an answer."""
    return 0


def _licenses(run: Invocation, given: Values, words: list[str]) -> int:
    found = run.transport.call("ClusterService", "GetCluster", {})
    known: dict[str, object] = found.get("licenses", {})
    if not known:
        run.say("No licenses configured in Slurm.")
        return 0
    wanted = words[0].removeprefix("LicenseName=") if words else ""
    if wanted and wanted not in known:
        run.say(f"License {wanted} not found")
        return 1
    reserved = _reserved_licenses(run)
    between = " " if given.flag("oneliner") else "\n    "
    for name in sorted(known):
        if not wanted or name == wanted:
            total, used = int(str(known[name])), int(str(found["licenses_used"][name]))
            figures = f"Total={total} Used={used} Free={max(0, total - used)} "
            figures += f"Reserved={reserved.get(name, 0)} Remote=no"
            run.say(f"LicenseName={name}{between}{figures}")
    return 0


def _reserved_licenses(run: Invocation) -> dict[str, int]:
    """How many licences of each name reservations keep now."""
    from molokini.compat.slurm.cluster import Clock

    now_s = Clock(run).now_s
    found: dict[str, int] = {}
    for one in run.transport.call("ClusterService", "ListReservations", {}).get("reservations", ()):
        if one.get("start_s", 0.0) <= now_s:
            for name, count in one.get("licenses", {}).items():
                found[name] = found.get(name, 0) + count
    return found


def _topology(run: Invocation, given: Values, words: list[str]) -> int:
    run.complain("scontrol: error: No topology information available")
    return 0


def _daemons(run: Invocation, given: Values, words: list[str]) -> int:
    run.say("slurmctld slurmd")
    return 0


def _aliases(run: Invocation, given: Values, words: list[str]) -> int:
    from molokini.compat.slurm import cluster

    found = [one["name"] for one in cluster.nodes(run)]
    run.say(" ".join(words[0].split(",") if words else sorted(found)))
    return 0


def _none(run: Invocation, given: Values, words: list[str]) -> int:
    raise Failed("scontrol: error: there is nothing of this kind here")


_KINDS: tuple[tuple[tuple[str, ...], Callable[[Invocation, Values, list[str]], int]], ...] = (
    (("jobs", "jobid"), _jobs),
    (("nodes", "nodename"), _nodes),
    (("partitions", "partitionname"), _partitions),
    (("reservations", "reservation", "reservationname"), _reservations),
    (("config", "configuration"), _config),
    (("hostnames",), _hostnames),
    (("hostlist", "hostlistsorted"), _hostlist),
    (("steps", "step"), _steps),
    (("licenses", "licensename"), _licenses),
    (("topology",), _topology),
    (("daemons",), _daemons),
    (("aliases",), _aliases),
    (("federation", "burstbuffer", "dwstat"), _nothing),
    (("assoc_mgr",), _none),
)


def write(run: Invocation, given: Values, words: list[str]) -> int:
    """Write the script of a job into a file, or to standard output where the file is ``-``."""
    if len(words) < 2 or words[0].lower() != "batch_script":
        raise Failed("scontrol: error: write batch_script JOB [FILE] is what can be written")
    try:
        [ref] = ids.refs(words[1])
        job = job_of(run, {"id": ref["id"]})
    except (ValueError, Refused):
        raise Failed("job script retrieval failed: Invalid job id specified") from None
    script = job.script
    if not script:
        raise Failed("job script retrieval failed: it has none, or it is not yours")
    path = words[2] if len(words) > 2 else f"slurm-{words[1]}.sh"
    if path == "-":
        run.say(script.removesuffix("\n"))
        return 0
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(script)
    except OSError as error:
        raise Failed(f"scontrol: error: {path}: {error.strerror}") from None
    run.say(f"batch script for job {words[1]} written to {path}")
    return 0


def ping(run: Invocation, given: Values, words: list[str]) -> int:
    """Whether the server answers."""
    import os

    from molokini.compat.failures import TransportError

    host = os.uname().nodename
    try:
        run.transport.call("ClusterService", "GetCluster", {})
    except TransportError:
        run.say(f"Slurmctld(primary) at {host} is DOWN")
        return 1
    run.say(f"Slurmctld(primary) at {host} is UP")
    return 0


def version(run: Invocation, given: Values, words: list[str]) -> int:
    """Which version the commands say they are."""
    run.say(VERSION)
    return 0


def not_here(run: Invocation, given: Values, words: list[str]) -> int:
    """Refused by name."""
    command = next(one for one in run.line if not one.startswith("-"))
    raise Failed(f"scontrol: error: {command} is not supported")
