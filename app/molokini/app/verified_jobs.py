"""The jobs of ``molokini verify``: those that a live server takes."""

import numpy as np

from molokini.experiments.choosing import Chosen
from molokini.experiments.maui_files import ConfiguredPolicy
from molokini.model.credentials import queues_in
from molokini.model.errors import BadInput
from molokini.model.site import Asked
from molokini.workloads.workload import Workload


def taken(chosen: Chosen, workload: Workload) -> tuple[Workload, str]:
    """*workload* without jobs that rules of the configuration have refused when they are submitted, and a
    line about these: a replay has them wait.
    """
    if not isinstance(chosen, ConfiguredPolicy) or not chosen.site.refuses:
        return workload, ""
    estimates_s, told = chosen.workload(workload).estimate_s, workload.recorded
    causes: dict[Asked, str] = {}
    refused = np.zeros(len(workload), dtype=np.bool_)
    first = ""
    for job in range(len(workload)):
        queue, *further = queues_in(workload.name_of("queue", job)) or ("",)
        account = qos = ""
        if told is not None:
            account = (
                workload.name_of_number("account", int(told.account[job])) if told.account[job] > 0 else ""
            )
            qos = workload.name_of_number("qos", int(told.qos[job])) if told.qos[job] > 0 else ""
        user = workload.name_of("user", job)
        asked = Asked(queue, account, qos, float(estimates_s[job]), 0, tuple(further), user)
        if asked not in causes:
            causes[asked] = _cause(chosen, asked)
        refused[job] = bool(causes[asked])
        first = first or causes[asked]
    if not refused.any():
        return workload, ""
    line = f"{int(refused.sum()):,} jobs left out, which the live server refuses when they are submitted"
    return workload.take(~refused), f"{line}: {first}"


def _cause(chosen: ConfiguredPolicy, asked: Asked) -> str:
    try:
        chosen.site.check_asked(asked)
    except BadInput as error:
        return str(error)
    return ""
