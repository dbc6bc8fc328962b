"""``diagnose -p``: priorities, component by component and factor by factor."""

from __future__ import annotations

from molokini.compat._types import Found, Invocation
from molokini.compat.maui.asking import report

_COMPONENTS = {
    "service": "Serv",
    "target": "Targ",
    "credential": "Cred",
    "fairshare": "FS",
    "resource": "Res",
    "bypass": "Bypas",
    "administrator": "Admin",
}
_FACTORS = {
    "queue-time": "QTime",
    "expansion-factor": "XFctr",
    "soft-violation": "SPVio",
    "bypass": "Bypas",
    "target-queue-time": "TQTim",
    "target-expansion-factor": "TXFct",
    "user": "User",
    "group": "Group",
    "account": "Accnt",
    "qos": "QOS",
    "queue": "Class",
    "nodes": "Node",
    "processors": "Proc",
    "memory": "Mem",
    "swap": "Swap",
    "disk": "Disk",
    "processor-seconds": "PS",
    "processor-equivalents": "PE",
    "user-processors": "UProc",
    "user-jobs": "UJob",
    "wall-time": "WTime",
}


def show(run: Invocation, letter: str, name: str, partition: str) -> None:
    """Print each waiting job, of *partition* alone where it is named."""
    found = report(run, "priorities")
    jobs = found["jobs"]
    if partition:
        inside = report(run, "queue", partition=partition)
        known = {one["job"] for one in (*inside["idle"], *inside["blocked"])}
        jobs = [one for one in jobs if one["job"] in known]
    render(run, found, jobs, partition)


def render(run: Invocation, found: Found, jobs: list[Found], partition: str = "") -> None:
    """Print *jobs* of the report *found*, which are those of *partition*."""
    groups = [_Group(one) for one in found["weights"] if one["factors"]]
    run.say(f"diagnosing job priority information (partition: {partition or 'ALL'})\n")
    run.say(f"{'Job':<18} {'PRIORITY':>10}* " + " ".join(group.title() for group in groups))
    run.say(f"{'Weights':>18} {'--------':>10}  " + " ".join(group.weights() for group in groups))
    run.say("")
    for job in jobs:
        mark = "*" if job["set_by_hand"] else " "
        shares = " ".join(group.of(job) for group in groups)
        run.say(f"{job['job']:<18} {job['priority']:>10.0f}{mark} {shares}")
    run.say("")
    total = found["contribution_percent"]
    parts = " ".join(group.total(total.get(group.name, 0.0)) for group in groups)
    run.say(f"{'Percent Contribution':<20} {'--------':>8}  {parts}")
    if len(jobs) < found["jobs_in_all"] and not partition:
        run.say(f"\n({len(jobs)} of {found['jobs_in_all']} jobs)")
    run.say("\n* indicates system prio set on job")


class _Group:
    """The columns of one component: ``Serv(QTime:XFctr)``."""

    def __init__(self, weights: Found) -> None:
        self.name = weights["component"]
        self._weight, self._factors = weights["weight"], weights["factors"]
        self._labels = [_label(factor) for factor in self._factors]

    def title(self) -> str:
        """The head of it."""
        label = _COMPONENTS.get(self.name, self.name)
        return f"{label:>6}({':'.join(f'{one:>6}' for one in self._labels)})"

    def weights(self) -> str:
        """Its weight, and those of its factors."""
        inside = ":".join(f"{weight:>6.15g}" for weight in self._factors.values())
        return f"{self._weight:>6.15g}({inside})"

    def of(self, job: Found) -> str:
        """What it gives one job: percent of all, and points of each factor."""
        given = job["components"].get(self.name, {"percent": 0.0, "factors": {}})
        inside = ":".join(f"{given['factors'].get(factor, 0.0):>6.1f}" for factor in self._factors)
        return f"{given['percent']:>6.1f}({inside})"

    def total(self, percent: float) -> str:
        """What it gives all jobs, in percent."""
        inside = ":".join(f"{'':>6}" for _ in self._factors)
        return f"{percent:>6.1f}({inside})"


def _label(factor: str) -> str:
    return _FACTORS.get(factor.removeprefix("fairshare-"), factor)
