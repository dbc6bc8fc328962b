"""A run of the real one: the stream is sent, and our collector makes a pack of what became of it."""

import sys
import time
from pathlib import Path

from benchmarks.beside.packages import Unpacked
from benchmarks.beside.programs import DoesNotStart
from benchmarks.beside.real import RealSlurm
from benchmarks.fidelity.slurm_site import SHAPE, USERS, add_accounts
from benchmarks.fidelity.stream import Act
from molokini.slurm.collecting import slurm_collect

_LONGEST_S = 1800.0
_LOOK_S = 1.0


def record(packages: Unpacked, folder: Path, acts: list[Act], pack: Path) -> None:
    """Run *acts* on a cluster of its own in *folder*, and write the *pack*. Raises DoesNotStart."""
    folder.chmod(0o711)  # jobs of other users read their scripts in there
    with RealSlurm(packages, folder, SHAPE) as real:
        add_accounts(real)
        _until_ranked(real)
        begun_s = time.monotonic()
        for act in acts:
            time.sleep(max(0.0, begun_s + act.at_s - time.monotonic()))
            real.command(*act.command)
        _until_empty(real, "squeue", "-h")
        _until_empty(real, "sacct", "-aXnP", "-s", "PD,R", "-o", "JobID")
        collector = str(Path(slurm_collect.__file__))
        real.command(sys.executable, collector, "--days", "1", "-o", str(pack))


def _until_ranked(real: RealSlurm) -> None:
    """Users have factors of fairshare from the first calculation after they were added on, and not before."""
    end_s = time.monotonic() + _LONGEST_S
    while not all_ranked(real.command("sshare", "-ahP", "-o", "User,FairShare")):
        if time.monotonic() > end_s:
            raise DoesNotStart(f"sshare: after {_LONGEST_S:g} s not every user has a factor")
        time.sleep(_LOOK_S)


def all_ranked(shares: str) -> bool:
    """Whether every user that jobs of the stream have is among *shares* (``user|factor``) with a factor."""
    found = dict(line.strip().split("|") for line in shares.splitlines() if line.strip())
    return all(float(found.get(user) or 0.0) > 0.0 for users in USERS.values() for user in users)


def _until_empty(real: RealSlurm, *command: str) -> None:
    end_s = time.monotonic() + _LONGEST_S
    while left := real.command(*command).strip():
        if time.monotonic() > end_s:
            raise DoesNotStart(f"{command[0]}: after {_LONGEST_S:g} s still there: {left.splitlines()[0]}")
        time.sleep(_LOOK_S)
