"""The folder of an agent that runs real jobs: one folder an attempt, and the file of the lease.

It outlives the agent. What is found in it at a start are the attempts that go on, or have ended, meanwhile.
"""

import fcntl
import os
import shutil
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from hashlib import sha256
from math import inf
from pathlib import Path

from molokini.model.errors import BadFile
from molokini.processes.identity import identity_in
from molokini.processes.owners import changed_by_others
from molokini.processes.spares import Spares
from molokini.supervisor import records
from molokini.supervisor.launch_record import LaunchRecord, read, write
from molokini.supervisor.leases import LeaseFile
from molokini.supervisor.records import AGENT_LOCK, CONTROL, LAUNCH, LOCK, VOID, Record

BOOT = "boot"
"""The start of the machine for which the lease holds."""
_MOMENT_S, _PAUSE_S = 1.0, 0.01
"""For so long another agent is tried for the folder, and so often."""


class Spool:
    """Folders of attempts below *folder*, by their labels."""

    def __init__(self, given: Path) -> None:
        # The same by whatever link it is reached: control groups and leftovers go by this path.
        folder = Path(os.path.realpath(given))
        self.folder, self._jobs = folder, str(folder / "jobs")
        self.fresh = not (folder / "jobs").exists()
        """Whether the spool is new or the machine restarted: an attempt without a record may have run."""
        try:
            (folder / "jobs").mkdir(mode=0o711, parents=True, exist_ok=True)
            _check_owners(given)
            folder.chmod(0o711)
            self._own = os.open(folder / AGENT_LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            self.lease = LeaseFile(str(folder / "lease"), writes=True)
        except OSError as error:
            raise BadFile(
                str(folder), f"cannot hold the jobs of an agent: {error.strerror or error}"
            ) from None
        if not self._lock():
            raise BadFile(str(folder), f"another agent uses this folder{self._holder()}")
        self._note_holder()
        self._removing = ThreadPoolExecutor(1, "spool")
        self._spares = Spares(folder / "spare")
        self._sole: set[str] = set()
        """Attempts for which one supervisor was asked, by this start of the agent: no other can come late."""
        self.boot = records.boot_id()
        known = not self.fresh
        self._renew_boot()
        try:
            self.identity, made = identity_in(folder, self.boot)
        except OSError as error:
            raise BadFile(
                str(folder), f"cannot hold the jobs of an agent: {error.strerror or error}"
            ) from None
        self.older = known and made
        """Whether an earlier release, which gave folders no identity, had it before."""

    def _lock(self) -> bool:
        """Have the folder, unless another agent has it; a supervisor of one that has gone may, for a
        moment."""
        until = time.monotonic() + _MOMENT_S
        while True:
            try:
                fcntl.flock(self._own, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= until:
                    return False
                time.sleep(_PAUSE_S)
            else:
                return True

    def _holder(self) -> str:
        """How to go on where another agent has the folder."""
        number = os.pread(self._own, 20, 0).decode("ascii", "replace").strip()
        who = f", as process {number}" if number.isdecimal() else ""
        return f"{who}: give this one another --name and --spool, or end that one first"

    def _note_holder(self) -> None:
        # For that line alone: a full disk keeps no agent from starting.
        with suppress(OSError):
            os.ftruncate(self._own, 0)
            os.pwrite(self._own, b"%d" % os.getpid(), 0)

    def _renew_boot(self) -> None:
        """Instants of an earlier start of the machine mean nothing, so a lease of then is none."""
        note = self.folder / BOOT
        if not note.exists() or note.read_text() != self.boot:
            self.fresh = True
            self.lease.ends_s = inf
            note.write_text(self.boot)

    def finish(self) -> None:
        """Return when the folders of attempts that were let go are gone; none can be let go from now on."""
        self._removing.shutdown()

    def close(self) -> None:
        """Let another agent have the folder."""
        self.finish()
        os.close(self._own)

    @staticmethod
    def group_of(folder: Path) -> str:
        """The name of the control group of its jobs, whose labels are unique in one folder alone."""
        return f"molokini-{sha256(os.fsencode(os.path.realpath(folder))).hexdigest()[:12]}"

    def path(self, label: str) -> Path:
        """The folder of an attempt."""
        return Path(self.place(label))

    def place(self, label: str) -> str:
        """The same in text: a path takes longer to make than a file to open."""
        return f"{self._jobs}/{label}"

    def add(self, wish: LaunchRecord, script: str) -> Path:
        """Record the intent to run *wish*, for which one supervisor is to be asked. Raises OSError."""
        place = self.place(wish.label)
        if not self._spares.take(place):
            os.mkdir(place, 0o711)
            os.mkfifo(os.path.join(place, CONTROL), 0o600)
        write(place, wish, script)
        self._sole.add(wish.label)
        return Path(place)

    def distrust(self, label: str = "") -> None:
        """More than one supervisor was asked for this attempt, or for any: no other gets its folder."""
        if label:
            self._sole.discard(label)
        else:
            self._sole.clear()

    def record(self, label: str) -> Record:
        """What has happened to an attempt."""
        return records.read(self.place(label), label)

    def found(self) -> Iterator[LaunchRecord]:
        """Every attempt that is there, oldest first; folders without a complete launch record are removed."""
        for path in sorted((self.folder / "jobs").iterdir(), key=lambda path: path.stat().st_mtime):
            if not (path / LAUNCH).exists():
                shutil.rmtree(path, ignore_errors=True)
                continue
            try:
                wish = _read_again(str(path))
            except (OSError, ValueError):
                continue
            if wish.label == path.name:
                yield wish
            else:
                # After a power cut: the disk had the new name of a folder, and still the launch before.
                shutil.rmtree(path, ignore_errors=True)

    def labels(self) -> set[str]:
        """Of every attempt that is there, whole or not."""
        return set(os.listdir(self.folder / "jobs"))

    def supervisor(self, label: str) -> int | None:
        """The process that keeps the attempt; 0: one has begun just now; None: none that is known here."""
        try:
            with self._locked(label) as ours:
                return None if ours else int((self.path(label) / LOCK).read_bytes() or b"0")
        except FileNotFoundError:
            # The folder was removed by another hand.
            return None

    def void(self, label: str) -> bool:
        """See to it that no supervisor begins the attempt from now on; False: one has begun it."""
        with self._locked(label) as ours:
            if not ours or self.record(label).started is not None:
                return False
            (self.path(label) / VOID).touch()
        return True

    @contextmanager
    def _locked(self, label: str) -> Iterator[bool]:
        """Hold the supervisor's lock meanwhile; false where it is not to be had."""
        file = os.open(self.path(label) / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
        finally:
            os.close(file)

    def remove(self, label: str) -> None:
        """Let go of the folder of an attempt, in a thread, so that a busy disk does not stop the agent."""
        if label in self._sole:
            self._sole.discard(label)
            self._removing.submit(self._spares.give, self.path(label))
        else:
            self._removing.submit(shutil.rmtree, self.path(label), ignore_errors=True)


def _read_again(folder: str) -> LaunchRecord:
    """The launch record in *folder*, from which its supervisor may just be wiping what is secret. Raises as
    ``read``."""
    try:
        return read(folder)
    except ValueError:
        return read(folder)


def _check_owners(folder: Path) -> None:
    """Raises BadFile where other users could put jobs into it, which would run as any user."""
    if (other := changed_by_others(folder / "jobs")) is not None:
        raise BadFile(
            str(folder),
            f"cannot hold the jobs of root's agent: others can change {other}; name another --spool",
        )
