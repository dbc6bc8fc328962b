"""What a job learns of itself by the names of PBS, LSF or Slurm, where one of their commands submitted it.

Such a command asks for it by a variable of its job, MOLOKINI_FLAVOUR; what it knows itself (where it was
called, how many tasks were wanted) it sends as variables, too. Here is what only the node knows.
"""

from __future__ import annotations

import os

from molokini.supervisor.patterns import filled, values_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from molokini.supervisor.launch_record import LaunchRecord

SYSTEM = "MOLOKINI_FLAVOUR"
PROCESSES = "MOLOKINI_PBS_PROCESSES"
"""How many lines PBS' file of nodes has: its qsub says so."""
_RSRCREQ = "select[type == local] order[r15s:pg]"
"""What LSF says of the requirements of a job that has none."""
JOB_NUMBER = "MOLOKINI_JOB_NUMBER"
_MOST_PROCESSES = 10_000
"""On a node, or a part of one: any job can set the variable."""
_MOST_DIGITS = 9
_TEMPORARY = "/tmp"  # as slurmd and pbs_mom set it without a site's own folder


def system_variables(wish: LaunchRecord, folder: str) -> dict[str, str]:
    """Variables of the batch system that the job has asked for; none for one that there is not."""
    make = _MAKES.get(wish.environment.get(SYSTEM, ""))
    return make(wish, os.path.join(folder, "nodes")) if make is not None else {}


def _home(user: str) -> str:
    """The home of *user*; the root folder where this machine does not know of one."""
    import pwd

    try:
        return pwd.getpwnam(user).pw_dir
    except KeyError:
        return "/"


def node_lines(wish: LaunchRecord) -> list[str]:
    """The names in PBS' file of nodes, one for each process of MPI, as the job's command has asked for.

    ``node=4`` is four on each node, ``each=2:1`` one for each two processors; else one a processor.
    """
    how, _, counts = wish.environment.get(PROCESSES, "").partition("=")
    numbers = [int(count) for count in counts.split(":") if _is_number(count)]
    if any(number > _MOST_PROCESSES for number in numbers):
        numbers = []
    if how == "node" and len(numbers) == 1:
        return [name for name, _ in wish.nodes for _ in range(numbers[0])]
    if how == "each" and len(numbers) == 2 and numbers[0]:
        each, processes = numbers
        return [name for name, count in wish.nodes for _ in range(count // each * processes)]
    return [name for name, count in wish.nodes for _ in range(count)]


def _is_number(text: str) -> bool:
    # Of a longer one Python makes no number.
    return text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS


def _pbs_node_file(wish: LaunchRecord, node_file: str) -> str:
    """The file of nodes for PBS: that of all jobs, where it says the same, or else one of its own."""
    if PROCESSES not in wish.environment:
        return node_file
    path = f"{node_file}.pbs"
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"{name}\n" for name in node_lines(wish))
    os.chmod(path, 0o644)
    return path


def _pbs(wish: LaunchRecord, node_file: str) -> dict[str, str]:
    server = wish.environment.get("PBS_SERVER", "molokini")
    number = f"{wish.job}[{wish.index}]" if wish.index >= 0 else str(wish.job)
    found = {
        "PBS_ENVIRONMENT": "PBS_BATCH",
        "PBS_JOBID": f"{number}.{server}",
        "PBS_JOBNAME": wish.name,
        "PBS_QUEUE": wish.queue,
        "PBS_NODEFILE": _pbs_node_file(wish, node_file),
        "PBS_NODENUM": str(wish.node),
        "PBS_TASKNUM": "1",
        "PBS_NP": str(_all(wish)),
        "PBS_NUM_NODES": str(len(wish.nodes)),
        "PBS_NUM_PPN": str(_first(wish)),
        "NCPUS": str(_first(wish)),
    }
    found["PBS_MOMPORT"], found["PBS_JOBCOOKIE"] = "15003", _cookie(wish)
    found["PBS_JOBDIR"] = _home(wish.user)
    found["PBS_O_QUEUE"] = wish.environment.get("PBS_O_QUEUE") or wish.queue
    found["TMPDIR"] = wish.environment.get("TMPDIR") or _TEMPORARY
    if wish.index >= 0:
        found["PBS_ARRAYID"] = found["PBS_ARRAY_INDEX"] = str(wish.index)
        found["PBS_ARRAY_ID"] = f"{wish.job}[].{server}"
    return found


def _cookie(wish: LaunchRecord) -> str:
    """A number of the attempt in 32 digits, as MPI's starters of PBS read it."""
    return f"{wish.job:016X}{wish.index & 0xFFFFFFFF:08X}{wish.attempt & 0xFFFFFFFF:08X}"


def _lsf(wish: LaunchRecord, node_file: str) -> dict[str, str]:
    index = max(0, wish.index)
    named = f"{wish.name}[{index}]" if wish.index >= 0 else wish.name
    found = {
        "LSB_JOBID": str(wish.job),
        "LSB_JOBINDEX": str(index),
        "LSB_BATCH_JID": f"{wish.job}[{index}]" if wish.index >= 0 else str(wish.job),
        "LSB_JOBNAME": named,
        "LSB_QUEUE": wish.queue,
        "LSB_HOSTS": " ".join(name for name, count in wish.nodes for _ in range(count)),
        "LSB_MCPU_HOSTS": " ".join(f"{name} {count}" for name, count in wish.nodes),
        "LSB_DJOB_HOSTFILE": node_file,
        "LSB_DJOB_NUMPROC": str(_all(wish)),
        "LSB_MAX_NUM_PROCESSORS": str(_all(wish)),
        "LSB_JOBRES_PID": str(os.getpid()),
        "LS_JOBPID": str(os.getpid()),
        "LSB_EFFECTIVE_RSRCREQ": wish.environment.get("LSB_EFFECTIVE_RSRCREQ", _RSRCREQ),
        "LSB_SUB_USER": wish.user,
        "LSFUSER": wish.user,
        "LSB_INTERACTIVE": "N",
    }
    paths = values_of(wish.job, wish.index, wish.user, wish.name, wish.nodes[0][0] if wish.nodes else "")
    for name, path in (("LSB_OUTPUTFILE", wish.stdout), ("LSB_ERRORFILE", wish.stderr)):
        found[name] = _path(path, paths)
    return {name: value for name, value in found.items() if value}


def _path(path: str, values: dict[str, str]) -> str:
    """*path* filled in; as it is where it has a pattern that is none, which ends the job a little later."""
    try:
        return filled(path, values)
    except ValueError:
        return path


def _slurm(wish: LaunchRecord, _: str) -> dict[str, str]:
    counts = _runs([count for _, count in wish.nodes])
    names = compressed([name for name, _ in wish.nodes])
    number = element_number(wish)
    name = wish.nodes[wish.node][0] if wish.nodes else ""
    found = {
        "SLURM_JOB_ID": number,
        "SLURM_JOBID": number,
        "SLURM_JOB_NAME": wish.name,
        "SLURM_JOB_PARTITION": wish.queue,
        "SLURM_JOB_USER": wish.user,
        "SLURM_JOB_NUM_NODES": str(len(wish.nodes)),
        "SLURM_NNODES": str(len(wish.nodes)),
        "SLURM_JOB_NODELIST": names,
        "SLURM_NODELIST": names,
        "SLURM_JOB_CPUS_PER_NODE": counts,
        "SLURM_CPUS_ON_NODE": str(_first(wish)),
        "SLURM_TASKS_PER_NODE": wish.environment.get("SLURM_TASKS_PER_NODE", counts),
        "SLURM_NODEID": str(wish.node),
        "SLURM_PROCID": "0",
        "SLURM_LOCALID": "0",
        "SLURMD_NODENAME": name,
        "SLURM_GTIDS": "0",
        "SLURM_TASK_PID": str(os.getpid()),
        "SLURM_PRIO_PROCESS": "0",
        "SLURM_NODE_ALIASES": "(null)",
        "SLURM_TOPOLOGY_ADDR": name,
        "SLURM_TOPOLOGY_ADDR_PATTERN": "node",
        "HOSTNAME": name,
        "TMPDIR": wish.environment.get("TMPDIR") or _TEMPORARY,
    }
    if wish.attempt > 1:
        found["SLURM_RESTART_COUNT"] = str(wish.attempt - 1)
    if wish.index >= 0:
        found["SLURM_ARRAY_JOB_ID"] = str(wish.job)
        found["SLURM_ARRAY_TASK_ID"] = str(wish.index)
    return found


def element_number(wish: LaunchRecord) -> str:
    """The number of a job, or that which an element has of its own, by which scripts name files.

    Where an element was given none it is 9, the job in nine digits, and the index.
    """
    if number := wish.environment.get(JOB_NUMBER):
        return number
    return f"9{wish.job:09}{wish.index}" if wish.index >= 0 else str(wish.job)


_MAKES: dict[str, Callable[[LaunchRecord, str], dict[str, str]]] = {"pbs": _pbs, "lsf": _lsf, "slurm": _slurm}


def _first(wish: LaunchRecord) -> int:
    """Processors of the first node, where the job's script runs."""
    return wish.nodes[0][1] if wish.nodes else wish.processors


def _all(wish: LaunchRecord) -> int:
    """Processors of all its nodes."""
    return sum(count for _, count in wish.nodes) or wish.processors


def _runs(counts: list[int]) -> str:
    """As Slurm writes counts of nodes: ``16(x2),8``."""
    found: list[tuple[int, int]] = []
    for count in counts:
        if found and found[-1][0] == count:
            found[-1] = (count, found[-1][1] + 1)
        else:
            found.append((count, 1))
    return ",".join(f"{count}(x{many})" if many > 1 else str(count) for count, many in found)


def compressed(names: list[str]) -> str:
    """As Slurm writes names of nodes: ``n[001-003,7],login``."""
    groups: dict[tuple[str, int], list[str]] = {}
    for name in names:
        stem = name.rstrip("0123456789")
        digits = name[len(stem) :]
        groups.setdefault((stem, len(digits)), []).append(digits)
    return ",".join(_group(stem, digits) for (stem, _), digits in groups.items())


def _group(stem: str, digits: list[str]) -> str:
    if len(digits) == 1 or not digits[0]:
        return f"{stem}{digits[0]}"
    numbers, width = sorted(map(int, digits)), len(digits[0])
    parts, start = [], 0
    for place, number in enumerate(numbers):
        if place + 1 < len(numbers) and numbers[place + 1] == number + 1:
            continue
        first, last = f"{numbers[start]:0{width}}", f"{number:0{width}}"
        parts.append(first if first == last else f"{first}-{last}")
        start = place + 1
    return f"{stem}[{','.join(parts)}]"
