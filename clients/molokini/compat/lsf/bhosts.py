"""``bhosts``."""

from __future__ import annotations

from molokini.compat._types import Invocation, Node, Values
from molokini.compat.lsf.commanding import USUAL, given_to
from molokini.compat.lsf.failing import CODE, refusal
from molokini.compat.lsf.nodes import listed, megabytes
from molokini.compat.lsf.tables import formatted
from molokini.compat.options import option, refused, without_effect

OPTIONS = (
    *USUAL,
    option("-l", text="all details of each host"),
    option("-w", text="wide: why a host is closed"),
    option("-noheader", text="without the first line"),
    option("-o", "FIELDS", "columns: \"FIELD[:[-]WIDTH] ... [delimiter='c']\""),
    option("-json", text="as JSON"),
    without_effect("-X", why="hosts are in no groups"),
    without_effect("-alloc", why="numbers always count slots"),
    refused("-R", "TEXT", "see molokini nodes"),
    refused("-x", why="exceptions are not watched for"),
    refused("-e", why="exceptions are not watched for"),
    refused("-s", why="there are no shared resources"),
    refused("-gpu", why="see lshosts"),
    refused("-aff", why="only the node binds processors"),
    refused("-rc", why="there are no leased hosts"),
    refused("-rconly", why="there are no leased hosts"),
    refused("-attr", why="hosts have no attributes"),
    refused("-cname", why="there is one cluster"),
    refused("-sl", why="resources have no limits of their own; use -s"),
    without_effect("-a", why="no host is dynamic, so all are shown"),
)

FIELDS = {
    "host_name": (20, lambda one: str(one["name"])),
    "status": (15, lambda one: status(one, False)),
    "cpuf": (10, lambda one: "1.0"),
    "jl_u": (8, lambda one: ""),
    "max": (8, lambda one: str(one["processors"])),
    "njobs": (8, lambda one: str(one.get("processors_used", 0))),
    "run": (8, lambda one: str(one.get("processors_used", 0))),
    "ssusp": (8, lambda one: "0"),
    "ususp": (8, lambda one: "0"),
    "rsv": (8, lambda one: "0"),
    "dispatch_window": (20, lambda one: ""),
    "comments": (128, lambda one: str(one.get("reason", ""))),
    "mem": (10, lambda one: megabytes(one.get("memory_kb", 0) - one.get("memory_used_kb", 0))),
    "max_mem": (10, lambda one: megabytes(one.get("memory_kb", 0))),
    "ngpus": (8, lambda one: str(one.get("generic", {}).get("gpu", 0))),
    "ngpus_alloc": (12, lambda one: str(one.get("generic_used", {}).get("gpu", 0))),
    "available_mem": (15, lambda one: megabytes(one.get("memory_kb", 0) - one.get("memory_used_kb", 0))),
    "total_mem": (15, lambda one: megabytes(one.get("memory_kb", 0))),
    "reserved_mem": (15, lambda one: megabytes(one.get("memory_used_kb", 0))),
    "total_slots": (15, lambda one: str(one["processors"])),
    "available_slots": (15, lambda one: str(one["processors"] - one.get("processors_used", 0))),
    **dict.fromkeys(
        (
            *("r15s", "r1m", "r15m", "ut", "pg", "io", "ls", "it", "tmp", "swp", "nexec", "mig_alloc"),
            *("attribute", "available_tmp", "reserved_resources", "ngpus_excl_alloc", "ngpus_shared_alloc"),
            *("ngpus_shared_jexcl_alloc", "ngpus_excl_avail", "ngpus_shared_avail"),
        ),
        (10, lambda one: ""),
    ),
}
"""By name, the width of a field and what it shows. A suspended job holds no host."""


def run(run: Invocation) -> int:
    """List hosts."""
    given = given_to(run, OPTIONS, "[host ...]")
    hosts, absent = listed(run, [name for name in given.words if name != "all"])
    try:
        if not formatted(run, given, FIELDS, hosts, "HOSTS"):
            _say(run, given, hosts)
    except ValueError as error:
        raise refusal(run, str(error)) from None
    for name in absent:
        run.complain(f"{name}: No such host/group/cluster")
    return CODE if absent else 0


def status(node: Node, why: bool) -> str:
    """``ok``, ``closed`` (with *why*: ``closed_Full``, ``closed_Adm``) or ``unavail``."""
    state = node.get("state")
    if state == "DOWN":
        return "unavail"
    if state == "DRAINING":
        return "closed_Adm" if why else "closed"
    if node.get("processors_used", 0) >= node["processors"]:
        return "closed_Full" if why else "closed"
    return "ok"


def _say(run: Invocation, given: Values, hosts: list[Node]) -> None:
    if given.flag("l"):
        for node in hosts:
            _say_long(run, node)
        return
    if hosts and not given.flag("noheader"):
        run.say(_line(("HOST_NAME", "STATUS", "JL/U", "MAX", "NJOBS", "RUN", "SSUSP", "USUSP", "RSV")))
    for node in hosts:
        used = str(node.get("processors_used", 0))
        run.say(
            _line(
                (
                    node["name"],
                    status(node, given.flag("w")),
                    "-",
                    str(node["processors"]),
                    used,
                    used,
                    "0",
                    "0",
                    "0",
                )
            )
        )


def _line(values: tuple[str, ...]) -> str:
    name, state, *counts = values
    return f"{name:<18} {state:<12} {' '.join(f'{one:>6}' for one in counts)}"


def _say_long(run: Invocation, node: Node) -> None:
    used = node.get("processors_used", 0)
    run.say(f"HOST  {node['name']}")
    run.say("STATUS           CPUF  JL/U    MAX  NJOBS    RUN  SSUSP  USUSP    RSV DISPATCH_WINDOW")
    counts = " ".join(f"{count:>6}" for count in (node["processors"], used, used, 0, 0, 0))
    run.say(f"{status(node, True):<15} {1.0:5.2f} {'-':>5} {counts}      -")
    total, free = node.get("memory_kb", 0), node.get("memory_kb", 0) - node.get("memory_used_kb", 0)
    run.say("\n CURRENT LOAD USED FOR SCHEDULING:")
    run.say(f"{'':<16}{'slots':>6} {'mem':>8}")
    run.say(f" {'Total':<15}{node['processors'] - used:>6} {megabytes(free):>8}")
    run.say(f" {'Reserved':<15}{used:>6} {megabytes(total - free):>8}")
    if features := node.get("features"):
        run.say(f"\n RESOURCES: {' '.join(features)}")
    if reason := node.get("reason"):
        run.say(f"\n ADMIN ACTION COMMENT: {reason}")
    run.say("")
