"""A control group for each job: of version 1, a folder in each hierarchy that we may write; or of version 2.

What a control group does that nothing else does: it counts the processor time and memory of all processes
together, bounds memory and the number of processes, and stops them at once.
"""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import suppress

from molokini.supervisor.trees import Descendants, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = "/sys/fs/cgroup"
_V1 = ("memory", "pids", "cpuacct", "freezer", "cpu", "cpuset")
_FROZEN_S = 0.5
QUOTA_US, _LEAST_QUOTA_US = 100_000, 1_000
_MOST_QUOTA_US = 1_000_000
"""Shares of processors hold over so many microseconds; a smaller one than the second the kernel refuses."""
_ROUNDS = 100
_PAUSE_S = 0.0005


def own_groups() -> dict[str, str]:
    """By controller (empty: version 2), the group in which this process is."""
    found = {}
    with open("/proc/self/cgroup") as file:
        for line in file:
            _, controllers, path = line.rstrip("\n").split(":", 2)
            for controller in controllers.split(","):
                found[controller] = path
    return found


def bases(name: str) -> dict[str, str]:
    """By controller, the folder *name* below our own group, made now, where that can be: {} for none.

    With version 2 there is one, under the key "unified".
    """
    try:
        own = own_groups()
    except OSError:
        return {}
    found: dict[str, str] = {}
    for controller in _V1:
        if controller in own and os.path.isdir(place := f"{ROOT}/{controller}"):
            _add(found, controller, place + own[controller].rstrip("/"), name)
    if not found and "" in own and os.path.exists(f"{ROOT}/cgroup.controllers"):
        _add(found, "unified", ROOT + own[""].rstrip("/"), name)
    return found


def bounds_memory(found: Mapping[str, str]) -> bool:
    """Whether a job with a group in each of these folders can be kept from using more memory than it may."""
    return not {"memory", "unified"}.isdisjoint(found)


def remove_bases(found: Mapping[str, str]) -> None:
    """Remove the folders that ``bases`` made, where no job is in them."""
    for path in found.values():
        with suppress(OSError):
            os.rmdir(path)


def remove_left_bases(found: Mapping[str, str], lock: str) -> None:
    """The same for a supervisor, where the agent that holds the file *lock* while it lives has ended.

    An agent that lives needs its folders for the next job. Until this returns none can have the lock, so that
    one that starts just now makes its folders after this.
    """
    try:
        file = os.open(lock, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        # Its spool was removed.
        return remove_bases(found)
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        remove_bases(found)
    except OSError:
        return None
    finally:
        os.close(file)
    return None


def _add(found: dict[str, str], controller: str, own: str, name: str) -> None:
    # In a container our own group may lie above what is mounted.
    for parent in (own, f"{ROOT}/{controller}" if controller != "unified" else ROOT):
        if not os.access(parent, os.W_OK):
            continue
        path = f"{parent}/{name}"
        try:
            os.makedirs(path, exist_ok=True)
            if controller == "cpuset":
                _inherit(parent, path)
            if controller == "cpu":
                # Else all jobs with shares together count as one process beside all others.
                _write(f"{path}/cpu.shares", str(1024 * (os.cpu_count() or 1)))
            if controller == "unified":
                _write(f"{parent}/cgroup.subtree_control", "+memory +pids +cpu")
                _write(f"{path}/cgroup.subtree_control", "+memory +pids +cpu")
        except OSError:
            continue
        found[controller] = path
        return


def _inherit(parent: str, path: str) -> None:
    """A set of processors of version 1 is empty when it is made."""
    for name in ("cpuset.cpus", "cpuset.mems"):
        with open(f"{parent}/{name}") as file:
            _write(f"{path}/{name}", file.read().strip())


def _write(path: str, text: str) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(file, text.encode())
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from None
    finally:
        os.close(file)


def _read(path: str) -> str:
    return whole(path).decode()


class ControlGroup(Descendants):
    """The processes of one job, which are in a group of their own."""

    cgroup = True

    def __init__(self, supervisor: int, groups: Mapping[str, str], name: str) -> None:
        super().__init__(supervisor)
        self._parents, self._name = groups, name
        self._paths = {controller: f"{base}/{name}" for controller, base in groups.items()}

    def make(self, memory_kb: int, most_processes: int, processors: str) -> None:
        """Make the group, with its bounds (0, or empty: none). Raises OSError."""
        for controller, needed in (("cpuset", processors), ("pids", most_processes), ("cpu", 0)):
            if not needed and len(self._paths) > 1:
                # Each hierarchy of version 1 costs a job a third of a millisecond. Not without the freezer:
                # to move 64 processes into it takes longer than they may take to stand still.
                self._paths.pop(controller, None)
        for controller, path in self._paths.items():
            os.makedirs(path, exist_ok=True)
            if controller == "freezer":
                # Of a supervisor that was killed while its job stood still, perhaps.
                _write(f"{path}/freezer.state", "THAWED")
            if controller == "cpuset":
                _inherit(self._parents[controller], path)
                if processors:
                    _write(f"{path}/cpuset.cpus", processors)
        if memory_kb:
            self._bound("memory", "memory.limit_in_bytes", "memory.max", memory_kb * 1024)
        if most_processes:
            self._bound("pids", "pids.max", "pids.max", most_processes)

    def _bound(self, controller: str, old: str, new: str, value: int) -> None:
        if controller in self._paths:
            _write(f"{self._paths[controller]}/{old}", str(value))
        elif "unified" in self._paths:
            _write(f"{self._paths['unified']}/{new}", str(value))

    def entrances(self) -> list[str]:
        """Files that take the number of a process which is to be in the group."""
        return [f"{path}/cgroup.procs" for path in self._paths.values()]

    def enter(self) -> None:
        """Put this process into the group, and with it all that it will make."""
        for path in self.entrances():
            _write(path, str(os.getpid()))

    def pids(self) -> list[int]:
        """All processes that have not ended, in the group or descending from the supervisor."""
        found = dict.fromkeys(super().pids())
        # A job is only in those hierarchies that it needed when it began.
        for path in self._paths.values():
            with suppress(OSError):
                found.update(dict.fromkeys(map(int, _read(f"{path}/cgroup.procs").split())))
        return list(found)

    def suspend(self) -> None:
        """Freeze the group; where it cannot freeze, stop each process."""
        if not self._freeze(True):
            super().suspend()

    def resume(self) -> None:
        """Thaw it, and let those go on that are stopped."""
        if not self._freeze(False):
            super().resume()

    def _freeze(self, frozen: bool) -> bool:
        """Have all processes stand still, or go on; False: this group cannot.

        On a busy machine half a second may be too short. A group that was told to freeze goes on to do so:
        the kernel stops each process as soon as it would compute, also one that the job makes meanwhile.
        The order is given again as long as the group does not stand still: version 1 overlooks a process
        that begins to wait for a child (by vfork) just then, and the child is frozen before it is a program.
        """
        if "freezer" in self._paths:
            name, text, state = "freezer.state", "FROZEN" if frozen else "THAWED", "freezer.state"
        elif "unified" in self._paths:
            name, text, state = "cgroup.freeze", str(int(frozen)), "cgroup.events"
        else:
            return False
        path = self._paths.get("freezer") or self._paths["unified"]
        wanted = text if "freezer" in self._paths else f"frozen {int(frozen)}"
        until = time.monotonic() + _FROZEN_S
        try:
            while True:
                _write(f"{path}/{name}", text)
                if wanted in _read(f"{path}/{state}").splitlines():
                    return True
                if time.monotonic() >= until:
                    return frozen
                time.sleep(_PAUSE_S)
        except OSError:
            return False

    def share(self, processors: int, rate: float, period_us: int = QUOTA_US) -> None:
        """Have no more than the share *rate* of so many processors, idle ones included; 1: no bound.

        The kernel counts it over *period_us* microseconds, a second at most.
        """
        period_us = min(period_us, _MOST_QUOTA_US)
        quota = max(_LEAST_QUOTA_US, round(period_us * processors * rate)) if rate < 1.0 else -1
        try:
            if "unified" in self._paths:
                bound = str(quota) if quota > 0 else "max"
                _write(f"{self._paths['unified']}/cpu.max", f"{bound} {period_us}")
            elif "cpu" in self._paths or ("cpu" in self._parents and quota > 0):
                self._share(quota, period_us)
        except OSError:
            # The kernel still shares processors out, if not by this rate.
            return

    def _share(self, quota: int, period_us: int) -> None:
        """In version 1 a job is in the hierarchy of quotas only when it has had a share."""
        path = self._parents["cpu"] + "/" + self._name
        entered = "cpu" in self._paths
        if not entered:
            os.makedirs(path, exist_ok=True)
        # A period that is too short for the present quota would be refused.
        _write(f"{path}/cpu.cfs_quota_us", "-1")
        _write(f"{path}/cpu.cfs_period_us", str(period_us))
        _write(f"{path}/cpu.cfs_quota_us", str(quota))
        if not entered:
            pids = self.pids()
            self._paths["cpu"] = path
            for _ in range(_ROUNDS):
                # Again for those that were made meanwhile, until their parents are all there.
                outside = set(pids) - set(map(int, _read(f"{path}/cgroup.procs").split()))
                if not outside:
                    return
                for pid in outside:
                    with suppress(OSError):
                        _write(f"{path}/cgroup.procs", str(pid))
                pids = self.pids()

    def usage(self) -> dict[str, float]:
        """``cpu_s`` and ``memory_kb`` of the whole group, as far as the kernel has counted them."""
        found: dict[str, float] = {}
        try:
            if "cpuacct" in self._paths:
                found["cpu_s"] = int(_read(f"{self._paths['cpuacct']}/cpuacct.usage")) / 1e9
            if "memory" in self._paths:
                found["memory_kb"] = int(_read(f"{self._paths['memory']}/memory.max_usage_in_bytes")) // 1024
            if "unified" in self._paths:
                stat = dict(line.split() for line in _read(f"{self._paths['unified']}/cpu.stat").splitlines())
                found["cpu_s"] = int(stat["usage_usec"]) / 1e6
                found["memory_kb"] = int(_read(f"{self._paths['unified']}/memory.peak")) // 1024
        except (OSError, KeyError, ValueError):
            pass
        return found

    def out_of_memory(self) -> bool:
        """Whether the kernel has killed a process of the group for want of memory."""
        try:
            if "memory" in self._paths:
                lines = _read(f"{self._paths['memory']}/memory.oom_control").splitlines()
            elif "unified" in self._paths:
                lines = _read(f"{self._paths['unified']}/memory.events").splitlines()
            else:
                return False
        except OSError:
            return False
        return any(line.startswith("oom_kill ") and line != "oom_kill 0" for line in lines)

    def remove(self) -> None:
        """Remove the group, which is empty; what cannot be removed now, the agent removes when it starts."""
        for path in self._paths.values():
            try:
                os.rmdir(path)
            except OSError:
                continue
