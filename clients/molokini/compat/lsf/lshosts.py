"""``lshosts``."""

from __future__ import annotations

from molokini.compat._types import Invocation, Node
from molokini.compat.lsf.commanding import USUAL, given_to
from molokini.compat.lsf.failing import CODE, refusal
from molokini.compat.lsf.nodes import listed, megabytes
from molokini.compat.lsf.tables import formatted
from molokini.compat.options import option, refused, without_effect

OPTIONS = (
    *USUAL,
    option("-noheader", text="without the first line"),
    option("-o", "FIELDS", "columns: \"FIELD[:[-]WIDTH] ... [delimiter='c']\""),
    option("-json", text="as JSON"),
    without_effect("-w", why="columns are never truncated"),
    without_effect("-l", why="there are no further details of a host"),
    refused("-R", "TEXT", "see molokini nodes"),
    refused("-s", why="there are no shared resources"),
    refused("-gpu", why="see bhosts -o 'host_name ngpus'"),
    refused("-T", why="only the node binds processors"),
    without_effect("-a", why="no host is dynamic, so all are shown"),
    refused("-cname", why="there is one cluster"),
)

FIELDS = {
    "host_name": (20, lambda one: str(one["name"])),
    "type": (10, lambda one: ""),
    "model": (10, lambda one: ""),
    "cpuf": (10, lambda one: "1.0"),
    "ncpus": (8, lambda one: str(one["processors"])),
    "maxmem": (10, lambda one: megabytes(one.get("memory_kb", 0))),
    "maxswp": (10, lambda one: ""),
    "server": (10, lambda one: "Yes"),
    "resources": (20, lambda one: _resources(one)),
    "nprocs": (8, lambda one: "1"),
    "ncores": (8, lambda one: str(one["processors"])),
    "nthreads": (8, lambda one: "1"),
    **dict.fromkeys(("ndisks", "maxtmp", "rexpri", "run_windows"), (10, lambda one: "")),
}
"""By name, the width of a field and what it shows."""


def run(run: Invocation) -> int:
    """List hosts and what they have."""
    given = given_to(run, OPTIONS, "[host ...]")
    hosts, absent = listed(run, given.words)
    try:
        if not formatted(run, given, FIELDS, hosts, "HOSTS"):
            _say(run, given.flag("noheader"), hosts)
    except ValueError as error:
        raise refusal(run, str(error)) from None
    for name in absent:
        run.complain(f"{name}: No such host/group/cluster")
    return CODE if absent else 0


def _resources(node: Node) -> str:
    words = [
        *node.get("features", ()),
        *(f"{name}={count}" for name, count in node.get("generic", {}).items()),
    ]
    return f"({' '.join(words)})"


def _say(run: Invocation, bare: bool, hosts: list[Node]) -> None:
    if not bare:
        run.say("HOST_NAME      type    model  cpuf ncpus maxmem maxswp server RESOURCES")
    for node in hosts:
        memory = megabytes(node.get("memory_kb", 0))
        run.say(
            f"{node['name']:<11} {'-':>7} {'-':>8} {1.0:5.1f} {node['processors']:>5} {memory:>6} {'-':>6}"
            f" {'Yes':>6} {_resources(node)}"
        )
