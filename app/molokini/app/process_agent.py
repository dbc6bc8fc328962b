"""An agent that runs real jobs, as the command line asks for it."""

import logging
import os
import stat
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from molokini.app.local_policy import local_policy_of
from molokini.client.quantities import memory_kb, whole
from molokini.model.errors import BadFile, BadValue, Conflict
from molokini.processes import capacity
from molokini.processes.agent import ProcessAgent
from molokini.processes.launch_records import Rules
from molokini.processes.owners import changed_by_others
from molokini.processes.slicing_report import check_enforcement, report_text, slicing_report, wired
from molokini.processes.spool import Spool
from molokini.processes.starters import with_starter
from molokini.proto.v1.agent_service_pb2 import NodeOffer
from molokini.supervisor.cgroups import bases

_log = logging.getLogger(__name__)

MOST_PROCESSORS = 2**20
NAME, LOCAL_AGENT = "agent", "local"
_LIMITS = ("grace", "hook_limit", "kill_limit")
_LEAST_S, _MOST_S = 0.001, 3600
NO_BOUND = (
    "no control group of memory can be written here: jobs may use more memory than they have asked for "
    "(let the agent run as root, or give its user a control group)"
)
_OF_EMULATION = ("nodes", "procs_per_node", "mtbf", "repair", "seed")


def process_agent(arguments: Any, name: str, former: str) -> ProcessAgent:
    """The agent of this machine, which had the identity *former* from earlier releases.

    Raises BadInput for what cannot be.
    """
    for field in _OF_EMULATION:
        if getattr(arguments, field, None) is not None:
            raise Conflict(
                _option(field),
                "is for emulated nodes; --processors and --memory say what this one has",
            )
    if getattr(arguments, "follow_clock", False):
        raise Conflict("--follow-clock", "real jobs take real time")
    folder = spool_folder(arguments.spool, name)
    local = local_policy_of(arguments)
    rules, offer = rules_of(arguments), offer_of(arguments, name)
    spool = Spool(folder)
    rules = _on_machine(rules, folder)
    if (enforce := getattr(arguments, "enforce", None)) is not None:
        check_enforcement(enforce, rules.groups)
        rules = replace(rules, enforce=enforce)
    rules = replace(rules, may_sleep=getattr(arguments, "cores_may_sleep", False))
    if getattr(arguments, "measure_slices", False):
        found = slicing_report(rules.groups)
        print(report_text(found), file=sys.stderr, flush=True)
        offer.slices.CopyFrom(wired(found, rules.enforce))
    made = ProcessAgent(
        name,
        offer,
        spool,
        rules,
        monotonic=time.monotonic,
        former=former,
    )
    if not made.bounds_memory:
        _log.warning("%s", NO_BOUND)
    if local is not None:
        made.coschedule(local.decider, local.slice_s)
    return made


def offer_of(arguments: Any, name: str) -> NodeOffer:
    """This machine as a node."""
    count = capacity.processors() if arguments.processors is None else arguments.processors
    most = capacity.processors() if getattr(arguments, "slots_from_cpus", False) else MOST_PROCESSORS
    if not 1 <= count <= most:
        raise BadValue("--processors", count, f"from 1 to {most:,}")
    given = getattr(arguments, "memory", None)
    offer = NodeOffer(
        names=capacity.name() if name == NAME else name,
        processors=count,
        memory_kb=capacity.memory_kb() if given is None else memory_kb("--memory", given),
        features=list(getattr(arguments, "feature", ())),
        cluster=getattr(arguments, "cluster", None) or "",
    )
    if (gpus := getattr(arguments, "gpus", None)) is not None:
        offer.generic["gpu"] = whole("--gpus", gpus, 1, 2**31 - 1)
    return offer


def rules_of(arguments: Any) -> Rules:
    """What is said about jobs. Root alone can let them run as their users."""
    root = os.geteuid() == 0
    most = 0 if arguments.most_processes is None else whole("--most-processes", arguments.most_processes, 1)
    return Rules(
        **ends_of(arguments),
        switches=root,
        allow_root=arguments.allow_root,
        lowest_uid=arguments.lowest_uid,
        most_processes=most,
        binds=arguments.slots_from_cpus,
    )


def _on_machine(rules: Rules, folder: Path) -> Rules:
    """The same with what the agent that has the spool *folder* makes on this machine for its jobs."""
    return with_starter(replace(rules, groups=bases(Spool.group_of(folder))), folder)


def ends_of(arguments: Any) -> dict[str, Any]:
    """What is said about the beginning and the end of jobs, by the names that rules have. Raises BadInput."""
    found: dict[str, Any] = {}
    for field in ("prolog", "epilog"):
        if (given := getattr(arguments, field)) is not None:
            found[field] = _hook(_option(field), given)
    for field in _LIMITS:
        if (given := getattr(arguments, field)) is not None:
            least = 0.0 if field == "grace" else _LEAST_S
            if not least <= given <= _MOST_S:
                raise BadValue(_option(field), given, f"from {least:g} to {_MOST_S:,} seconds")
            found[f"{field}_s"] = given
    return found


def _hook(option: str, given: str) -> str:
    """The path of a program that runs as the agent's user; BadFile where others could change it."""
    path = Path(given).absolute()
    try:
        found = path.stat()
    except OSError as error:
        raise BadFile(str(path), f"cannot be the program of {option}: {error.strerror}") from None
    if not (stat.S_ISREG(found.st_mode) and os.access(path, os.X_OK)):
        raise BadFile(str(path), f"cannot be the program of {option}: it is not an executable file")
    if found.st_mode & 0o022 or found.st_uid not in (0, os.geteuid()):
        raise BadFile(
            str(path), f"cannot be the program of {option}: others may change it; chown it, and chmod go-w"
        )
    if (other := changed_by_others(path)) is not None:
        raise BadFile(
            str(path), f"cannot be the program of {option}: other users can change {other}, and so replace it"
        )
    return str(path)


def local_offer(arguments: Any) -> NodeOffer:
    """This machine as the one node of a server in the same process."""
    for field in ("nodes", "procs_per_node", "clusters"):
        if getattr(arguments, field) is not None:
            raise Conflict(_option(field), "is for emulated nodes; --processors says what this one has")
    ends_of(arguments)
    return offer_of(arguments, NAME)


def check_for_processes_only(arguments: Any) -> None:
    """Raises Conflict for what only real jobs need, where nodes pretend."""
    if arguments.processors is not None:
        raise Conflict(
            "--processors", "is for --mode process; --procs-per-node says what emulated nodes have"
        )
    for field in ("prolog", "epilog", "enforce", *_LIMITS):
        if getattr(arguments, field, None) is not None:
            raise Conflict(_option(field), "is for --mode process: emulated nodes run nothing")


def local_agent(
    offer: NodeOffer, folder: Path, ends: Mapping[str, Any] = MappingProxyType({})
) -> ProcessAgent:
    """The agent in the server's own process, with the state in *folder*: jobs run as the server's user.

    *ends* is what ``ends_of`` has found.
    """
    place = folder.absolute() / "jobs"
    rules, spool = Rules(allow_root=True, **ends), Spool(place)
    return ProcessAgent(LOCAL_AGENT, offer, spool, _on_machine(rules, place), monotonic=time.monotonic)


def notes_of(agent: ProcessAgent) -> list[str]:
    """What an administrator who starts the agent of this process should know, in lines."""
    found = ["all jobs run as root, those of other users as well"] if os.geteuid() == 0 else []
    return found if agent.bounds_memory else [*found, NO_BOUND]


def _option(field: str) -> str:
    return "--" + field.replace("_", "-")


def spool_folder(given: str | None, name: str) -> Path:
    """Where the attempts are kept: as said, or the place for such data of root or of the user."""
    if given:
        return Path(given).absolute()
    if os.geteuid() == 0:
        return Path("/var/lib/molokini") / name
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "molokini" / name
