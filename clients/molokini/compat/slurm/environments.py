"""The variables that a job starts with: the user's as --export wants them, and what sbatch knows itself."""

from __future__ import annotations

import os
import sys

from molokini.compat._types import Any, Mapping
from molokini.compat.indices import indices_of
from molokini.compat.submitting import environment

SYSTEM = "MOLOKINI_FLAVOUR"
_PATH = "/usr/local/bin:/usr/bin:/bin"
_STAY = ("SLURM_CONF", "SLURM_TIME_FORMAT")
_ROAD = ("MOLOKINI_GATEWAY", "MOLOKINI_TIMEOUT_S", "MOLOKINI_TLS_CA")
"""Without these a job could not call where its submitter did."""
_OURS = (
    *("MOLOKINI_JOB", "MOLOKINI_ARRAY", "MOLOKINI_NODE", "MOLOKINI_ATTEMPT", "MOLOKINI_OPEN_MODE"),
    *("MOLOKINI_WARNING", "MOLOKINI_SIGNALS", "MOLOKINI_SRUN_INPUT", "MOLOKINI_SLURM", SYSTEM),
)
"""What tells a job about itself begins so."""


def exported(variables: Mapping[str, str], export: str) -> dict[str, str]:
    """Those of *variables* that ``--export=...`` passes on: ALL (or empty), NONE, NAMES, NAME=VALUE.

    What tells a job about itself is not passed on to another.
    """
    own = {
        name: value
        for name, value in environment(variables).items()
        if (name in _STAY or not name.startswith("SLURM_")) and not name.startswith(_OURS)
    }
    words = _words(export) if export else ["ALL"]
    if "ALL" in words:
        made = dict(own)
    else:
        made = {name: own[name] for name in _ROAD if name in own}
        made["PATH"] = f"{_commands()}{_PATH}"
    for word in words:
        name, equals, value = word.partition("=")
        if equals:
            made[name] = value
        elif name in own:
            made[name] = own[name]
    return made


def _words(text: str) -> list[str]:
    """Parts between commas; a part that is quoted may have commas in it."""
    found, word, quote = [], "", ""
    for letter in text:
        if quote:
            quote = "" if letter == quote else quote
            word += letter if quote else ""
        elif letter in "'\"":
            quote = letter
        elif letter == ",":
            found.append(word)
            word = ""
        else:
            word += letter
    return [one for one in [*found, word] if one]


def _commands() -> str:
    """The folder of these commands, which jobs call by their names, too."""
    folder = os.path.dirname(os.path.abspath(sys.argv[0]))
    return f"{folder}:" if os.path.exists(os.path.join(folder, "scontrol")) else ""


def told(spec: dict[str, Any], noted: dict[str, Any], cluster: str, here: str) -> dict[str, str]:
    """What the job that *spec* and *noted* (its details) say learns by Slurm's names.

    The node adds what it alone knows (agents/molokini/supervisor/batch_variables.py).
    """
    asked = spec["resources"]
    nodes, tasks, cpus = asked.get("nodes", 0), noted.get("ntasks", 0), noted.get("cpus_per_task", 0)
    found: dict[str, Any] = {
        SYSTEM: "slurm",
        "ENVIRONMENT": "BATCH",
        "SLURM_SUBMIT_DIR": here,
        "SLURM_SUBMIT_HOST": os.uname().nodename,
        "SLURM_CLUSTER_NAME": cluster,
        "SLURM_JOB_UID": str(os.getuid()),
        "SLURM_JOB_GID": str(os.getgid()),
        "SLURM_WORKING_CLUSTER": f"{cluster}:{os.uname().nodename}:0:9728:109",
        "SLURM_JOB_QOS": spec.get("qos") or "normal",
        "SLURM_JOB_ACCOUNT": spec.get("account"),
        "SLURM_NTASKS": tasks,
        "SLURM_NPROCS": tasks,
        "SLURM_CPUS_PER_TASK": cpus,
        "SLURM_NTASKS_PER_NODE": noted.get("ntasks_per_node"),
        "SLURM_JOB_DEPENDENCY": noted.get("dependency"),
        "SLURM_JOB_RESERVATION": noted.get("reservation"),
        "SLURM_GPUS": noted.get("gpus"),
        "SLURM_GPUS_PER_NODE": noted.get("gpus_per_node"),
        "SLURM_MEM_PER_CPU": noted.get("mem_per_cpu_mb"),
        "SLURM_MEM_PER_NODE": noted.get("mem_mb"),
    }
    if per_node := noted.get("ntasks_per_node") or (nodes and max(1, -(-tasks // nodes))):
        found["SLURM_TASKS_PER_NODE"] = f"{per_node}(x{nodes})" if nodes > 1 else per_node
    elif cpus > 1:
        found["SLURM_TASKS_PER_NODE"] = max(1, tasks)
    if generic := asked.get("generic", {}).get("gpu"):
        found["SLURM_GPUS_ON_NODE"] = generic
    if (array := spec.get("array")) is not None:
        step = array.get("step", 1)
        listed = indices_of(array)
        found |= {
            "SLURM_ARRAY_TASK_MIN": str(listed[0]),
            "SLURM_ARRAY_TASK_MAX": str(listed[-1]),
            "SLURM_ARRAY_TASK_STEP": str(step),
            "SLURM_ARRAY_TASK_COUNT": str(len(listed)),
        }
    return {name: str(value) for name, value in found.items() if value not in (None, "", 0)}
