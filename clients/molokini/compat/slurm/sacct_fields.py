"""The columns of sacct, by name: a row is a job, an element, or the batch step of one."""

from __future__ import annotations

import math

from molokini.compat._types import Callable, JobView
from molokini.compat.columns import printable as plain
from molokini.compat.slurm import sizes, states, times


class Row:
    """A job or element (*step* empty), or its step ``batch``."""

    __slots__ = ("step", "view")

    def __init__(self, view: JobView, step: str = "") -> None:
        self.view: JobView = view
        self.step = step

    @property
    def id(self) -> str:
        """``12``, ``12_3``, ``12.batch``."""
        return f"{self.view.id}.{self.step}" if self.step else self.view.id

    @property
    def raw_id(self) -> str:
        """The same with the number of an element by itself."""
        number = self.view.raw_id
        return f"{number}.{self.step}" if self.step else number

    @property
    def state(self) -> str:
        """With who cancelled it; of a step CANCELLED where its job ran into the limit."""
        state = self.view.state
        if self.step:
            return "CANCELLED" if state in ("TIMEOUT", "NODE_FAIL") else state
        return f"CANCELLED by {self.canceller}" if state == "CANCELLED" else state

    @property
    def canceller(self) -> str:
        """The number of the user who cancelled it; 0 for the system."""
        name = self.view.job.ended_by
        if not name:
            return "0"
        if name == self.view.user:
            return self.view.user_id
        import pwd

        try:
            return str(pwd.getpwnam(name).pw_uid)
        except KeyError:
            return "0"

    def of_job(self, text: str) -> str:
        """*text*, and nothing in the row of a step."""
        return "" if self.step else text

    @property
    def exit_code(self) -> str:
        """``code:signal``; what was ended from outside has no exit code, and its step the signal."""
        if self.view.state in ("TIMEOUT", "CANCELLED", "NODE_FAIL"):
            return "0:15" if self.step and self.view.allocated else "0:0"
        return self.view.exit_code

    @property
    def processors(self) -> int:
        """Those it has; of a job that waits, none."""
        return self.view.processors if self.view.allocated else 0

    @property
    def used_s(self) -> float:
        """Processor time that its processes took."""
        return self.view.job.cpu_s

    @property
    def memory(self) -> str:
        """The most memory, of a step that has ended."""
        kb = self.view.job.memory_used_kb
        return f"{kb}K" if self.step and self.view.state in states.ENDED else ""

    @property
    def start_s(self) -> float | None:
        """Its start; of one that was ended before, its end."""
        return self.view.start_s

    @property
    def end_s(self) -> float | None:
        """Its end."""
        return self.view.job.end_s if self.view.state != "PENDING" else None


def _time(at_s: float | None) -> str:
    return times.shown(at_s, "Unknown")


def _limit(row: Row) -> str:
    seconds = row.view.job.limit_s
    return row.of_job("UNLIMITED" if seconds >= times.INFINITE_S else times.long_duration(seconds))


def _raw_limit(row: Row) -> str:
    seconds = row.view.job.limit_s
    return row.of_job("UNLIMITED" if seconds >= times.INFINITE_S else str(math.ceil(seconds / 60)))


def _memory(row: Row) -> str:
    kb = row.view.job.memory_kb * row.view.job.processors
    return row.of_job(sizes.shown(math.ceil(kb / 1024) * 1024))


def _resources(tres: str) -> str:
    """As the accounting has them: by their names."""
    return ",".join(sorted(tres.split(",")))


def _planned(row: Row) -> float:
    return row.view.job.waited_s(0.0)


def _name(row: Row) -> str:
    return row.step or plain(row.view.name)


def _nodes(row: Row) -> str:
    return row.view.nodes or "None assigned"


def _null(text: str) -> str:
    return "" if text == "(null)" else plain(text)


def _unset(row: Row) -> str:
    """What no job here has."""
    return ""


FIELDS: dict[str, Callable[[Row], str]] = {
    "Account": lambda r: _null(r.view.account),
    "AdminComment": _unset,
    "AllocCPUS": lambda r: str(r.processors),
    "AllocNodes": lambda r: str(len(r.view.allocated)),
    "AllocTRES": lambda r: _resources(r.view.tres) if r.view.allocated else "",
    "AssocID": lambda r: r.of_job("0"),
    "AveCPU": lambda r: times.long_duration(r.used_s) if r.step else "",
    "AveCPUFreq": _unset,
    "AveDiskRead": lambda r: f"{r.view.job.read_kb}K" if r.step else "",
    "AveDiskWrite": lambda r: f"{r.view.job.written_kb}K" if r.step else "",
    "AvePages": _unset,
    "AveRSS": lambda r: r.memory,
    "AveVMSize": _unset,
    "BlockID": _unset,
    "Cluster": lambda r: r.view.cluster,
    "Comment": lambda r: r.of_job(_null(r.view.comment)),
    "Constraints": lambda r: r.of_job(_null(r.view.features)),
    "ConsumedEnergy": lambda r: "0",
    "ConsumedEnergyRaw": lambda r: "0",
    "Container": _unset,
    "CPUTime": lambda r: times.long_duration(r.view.elapsed_s * r.processors),
    "CPUTimeRAW": lambda r: str(int(r.view.elapsed_s) * r.processors),
    "DBIndex": lambda r: str(r.view.job.id),
    "DerivedExitCode": lambda r: r.of_job(r.exit_code),
    "Elapsed": lambda r: times.long_duration(r.view.elapsed_s),
    "ElapsedRaw": lambda r: str(int(r.view.elapsed_s)),
    "Eligible": lambda r: _time(r.view.job.eligible_s),
    "End": lambda r: _time(r.end_s),
    "ExitCode": lambda r: r.exit_code,
    "Extra": _unset,
    "FailedNode": _unset,
    "Flags": _unset,
    "GID": lambda r: r.of_job(r.view.group_id),
    "Group": lambda r: r.of_job(plain(r.view.group)),
    "JobID": lambda r: r.id,
    "JobIDRaw": lambda r: r.raw_id,
    "JobName": _name,
    "Layout": _unset,
    "Licenses": lambda r: r.of_job("" if r.view.licenses == "(null)" else r.view.licenses),
    "MaxDiskRead": lambda r: f"{r.view.job.read_kb}K" if r.step else "",
    "MaxDiskReadNode": lambda r: r.view.first_node if r.step else "",
    "MaxDiskReadTask": lambda r: "0" if r.step else "",
    "MaxDiskWrite": lambda r: f"{r.view.job.written_kb}K" if r.step else "",
    "MaxDiskWriteNode": lambda r: r.view.first_node if r.step else "",
    "MaxDiskWriteTask": lambda r: "0" if r.step else "",
    "MaxPages": _unset,
    "MaxPagesNode": _unset,
    "MaxPagesTask": _unset,
    "MaxRSS": lambda r: r.memory,
    "MaxRSSNode": lambda r: r.view.first_node if r.memory else "",
    "MaxRSSTask": lambda r: "0" if r.memory else "",
    "MaxVMSize": _unset,
    "MaxVMSizeNode": _unset,
    "MaxVMSizeTask": _unset,
    "McsLabel": _unset,
    "MinCPU": lambda r: times.long_duration(r.used_s) if r.step else "",
    "MinCPUNode": lambda r: r.view.first_node if r.step else "",
    "MinCPUTask": lambda r: "0" if r.step else "",
    "NCPUS": lambda r: str(r.processors or r.view.processors),
    "NNodes": lambda r: str(r.view.node_count),
    "NodeList": _nodes,
    "NTasks": lambda r: "1" if r.step else "",
    "OriginalSLUID": _unset,
    "Partition": lambda r: r.of_job(plain(r.view.partition)),
    "Planned": lambda r: r.of_job(times.long_duration(_planned(r))),
    "PlannedCPU": lambda r: r.of_job(times.long_duration(_planned(r) * r.view.processors)),
    "PlannedCPURAW": lambda r: r.of_job(str(int(_planned(r) * r.view.processors))),
    "Priority": lambda r: r.of_job(str(r.view.priority)),
    "QOS": lambda r: r.of_job(plain(r.view.qos)),
    "QOSRAW": lambda r: r.of_job("1"),
    "QOSREQ": lambda r: r.of_job(plain(r.view.qos)),
    "Reason": lambda r: r.of_job(r.view.reason if r.view.state == "PENDING" else "None"),
    "ReqCPUFreq": lambda r: r.of_job("Unknown"),
    "ReqCPUFreqGov": lambda r: r.of_job("Unknown"),
    "ReqCPUFreqMax": lambda r: r.of_job("Unknown"),
    "ReqCPUFreqMin": lambda r: r.of_job("Unknown"),
    "ReqCPUS": lambda r: str(r.view.job.processors),
    "ReqMem": _memory,
    "ReqNodes": lambda r: r.of_job(str(int(r.view.job.resources.get("nodes", 0)) or 1)),
    "ReqReservation": lambda r: r.of_job(_null(r.view.detail("reservation"))),
    "ReqTRES": lambda r: r.of_job(_resources(r.view.requested_tres)),
    "Reservation": lambda r: r.of_job(_null(r.view.detail("reservation"))),
    "ReservationId": _unset,
    "Reserved": lambda r: r.of_job(times.long_duration(_planned(r))),
    "Restarts": lambda r: r.of_job(str(max(0, r.view.job.attempt - 1))),
    "ResvCPU": lambda r: r.of_job(times.long_duration(_planned(r) * r.view.processors)),
    "ResvCPURAW": lambda r: r.of_job(str(int(_planned(r) * r.view.processors))),
    "SegmentSize": _unset,
    "SLUID": _unset,
    "Start": lambda r: _time(r.start_s),
    "State": lambda r: r.state,
    "StdErr": lambda r: r.of_job(plain(r.view.path("stderr"))),
    "StdIn": lambda r: r.of_job(plain(r.view.path("stdin"))),
    "StdOut": lambda r: r.of_job(plain(r.view.path("stdout"))),
    "Submit": lambda r: _time(r.view.job.submitted_s),
    "SubmitLine": lambda r: r.of_job(_null(r.view.detail("line"))),
    "Suspended": lambda r: times.long_duration(r.view.suspended_s),
    "SystemComment": _unset,
    "SystemCPU": lambda r: times.processor_time(0.0),
    "Timelimit": _limit,
    "TimelimitRaw": _raw_limit,
    "TotalCPU": lambda r: times.processor_time(r.used_s),
    "TRESUsageInAve": _unset,
    "TRESUsageInMax": _unset,
    "TRESUsageInMaxNode": _unset,
    "TRESUsageInMaxTask": _unset,
    "TRESUsageInMin": _unset,
    "TRESUsageInMinNode": _unset,
    "TRESUsageInMinTask": _unset,
    "TRESUsageInTot": _unset,
    "TRESUsageOutAve": _unset,
    "TRESUsageOutMax": _unset,
    "TRESUsageOutMaxNode": _unset,
    "TRESUsageOutMaxTask": _unset,
    "TRESUsageOutMin": _unset,
    "TRESUsageOutMinNode": _unset,
    "TRESUsageOutMinTask": _unset,
    "TRESUsageOutTot": _unset,
    "UID": lambda r: r.of_job(r.view.user_id),
    "User": lambda r: r.of_job(plain(r.view.user)),
    "UserCPU": lambda r: times.processor_time(r.used_s),
    "WCKey": lambda r: r.of_job(_null(r.view.detail("wckey"))),
    "WCKeyID": lambda r: r.of_job("0"),
    "WorkDir": lambda r: r.of_job(plain(r.view.directory)),
}
"""In the order of ``--helpformat``; those that came after 22.05 among them."""
NEWER = frozenset(
    (
        *("Extra", "FailedNode", "Licenses", "OriginalSLUID", "Planned", "PlannedCPU", "PlannedCPURAW"),
        *("QOSREQ", "ReqReservation", "Restarts", "SegmentSize", "SLUID", "StdErr", "StdIn", "StdOut"),
    )
)
"""Names of later versions, which are taken and not listed."""
ALIASES = {"ncpu": "NCPUS", "nnode": "NNodes", "ntask": "NTasks"}
_WIDTHS = {
    "JobID": 12,
    "JobIDRaw": 12,
    "ExitCode": 8,
    "AllocNodes": 10,
    "AllocTRES": 10,
    "CPUTime": 10,
    "Start": 19,
    "End": 19,
    "Submit": 19,
    "Eligible": 19,
    "NodeList": 15,
    "NNodes": 8,
    "NTasks": 8,
    "User": 9,
    "UID": 6,
    "GID": 6,
    "Group": 9,
    "Comment": 14,
    "DerivedExitCode": 15,
    "WorkDir": 20,
    "SubmitLine": 20,
    "Reason": 22,
    "Reservation": 20,
    "Constraints": 19,
    "ConsumedEnergy": 14,
    "ConsumedEnergyRaw": 17,
    "AveDiskRead": 14,
    "AveDiskWrite": 14,
    "MaxDiskRead": 12,
    "MaxDiskWrite": 12,
}


def width_of(name: str) -> int:
    """The width of a column without a given width."""
    return _WIDTHS.get(name, 10)
