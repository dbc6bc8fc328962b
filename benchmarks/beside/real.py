"""A real Slurm on loopback: munge, MariaDB, slurmdbd, slurmctld and four slurmd, with ports of their own."""

import os
import socket
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from benchmarks.beside.packages import Unpacked
from benchmarks.beside.programs import DoesNotStart, Programs, free_ports

CLUSTER = "bench"


@dataclass(frozen=True)
class Shape:
    """The machine, and the lines of slurm.conf that say how jobs are scheduled on it."""

    nodes: int
    processors: int
    memory_mb: int
    scheduling: tuple[str, ...]
    partitions: tuple[str, ...]
    features: tuple[tuple[str, ...], ...] = ()
    """What jobs may ask of each node, in their order; of others nothing."""

    def features_of(self, place: int) -> tuple[str, ...]:
        """What jobs may ask of node *place*; the first is 1."""
        return self.features[place - 1] if place <= len(self.features) else ()

    def feature_text(self, place: int) -> str:
        """The same as a word of slurm.conf, with a blank before it."""
        names = self.features_of(place)
        return f" Feature={','.join(names)}" if names else ""


BENCH = Shape(
    nodes=4,
    processors=16,
    memory_mb=64000,
    scheduling=(
        "SchedulerParameters=bf_interval=2,sched_interval=2,bf_continue",
        "PriorityType=priority/basic",
    ),
    partitions=(
        "PartitionName=batch Nodes=n[1-4] Default=YES MaxTime=INFINITE DefaultTime=60",
        "PartitionName=debug Nodes=n[1-4] MaxTime=INFINITE DefaultTime=60",
    ),
    features=(("amd", "rack1"), ("amd", "rack1"), ("intel", "rack2"), ("intel", "rack2", "gpu")),
)


class RealSlurm:
    """The cluster; from its start to its end as a context."""

    def __init__(self, packages: Unpacked, folder: Path, shape: Shape = BENCH) -> None:
        self._packages, self.folder, self.shape = packages, folder, shape
        self.environment = packages.environment(SLURM_CONF=str(folder / "slurm.conf"))
        self._programs = Programs(folder, self.environment)
        self._ports = free_ports(4 + shape.nodes)

    def __enter__(self) -> Self:
        try:
            self._start()
        except BaseException:
            self._programs.end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._programs.end()

    def command(self, name: str, *words: str) -> str:
        """What the command *name* prints on this cluster. Raises DoesNotStart where it fails."""
        path = name if Path(name).is_absolute() else self._packages.program(name)
        done = self._programs.ran(path, *words)
        if done.returncode:
            raise DoesNotStart(
                f"{Path(name).name} {' '.join(words)}: {(done.stderr or done.stdout).strip()[-400:]}"
            )
        return done.stdout

    def _serve(self, name: str, *words: str, log: str = "") -> None:
        self._programs.start(self._packages.program(name), *words, log=log)

    def _ran(self, name: str, *words: str) -> None:
        self._programs.ran(self._packages.program(name), *words)

    def _until(self, name: str, *words: str, says: str = "") -> None:
        self._programs.until(self._packages.program(name), *words, says=says)

    # What it consists of.

    def _start(self) -> None:
        for name in ("state", "spool", "db", "log", "munge"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        self._munge()
        self._database()
        self._write("slurm.conf", self._configuration())
        self._write("slurmdbd.conf", self._accounting_configuration())
        self._serve("slurmdbd", "-D")
        self._until("sacctmgr", "-n", "show", "cluster")
        self._ran("sacctmgr", "-i", "add", "cluster", CLUSTER)
        self._ran("sacctmgr", "-i", "add", "account", "root")
        self._serve("slurmctld", "-D")
        stepd = self._packages.program("slurmstepd")
        for place in range(1, self.shape.nodes + 1):
            self._serve("slurmd", "-D", "-N", f"n{place}", "-d", stepd, log=f"slurmd-n{place}")
        self._until("sinfo", "-h", "-t", "idle", "-o", "%D", says=str(self.shape.nodes))

    def _munge(self) -> None:
        key, place = self.folder / "munge/key", self.folder / "munge"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        place.chmod(0o711)
        self._serve(
            "munged",
            "--foreground",
            "--force",
            f"--key-file={key}",
            f"--socket={place / 'socket'}",
            f"--pid-file={place / 'pid'}",
            f"--log-file={place / 'log'}",
            f"--seed-file={place / 'seed'}",
        )
        self._until("munge", "-n", "-S", str(place / "socket"))

    def _database(self) -> None:
        place, root = self.folder / "db", self._packages.root
        self._ran(
            "mariadb-install-db",
            "--no-defaults",
            f"--basedir={root / 'usr'}",
            f"--datadir={place / 'data'}",
            "--user=root",
            "--auth-root-authentication-method=normal",
            "--skip-test-db",
        )
        self._serve(
            "mariadbd",
            "--no-defaults",
            f"--basedir={root / 'usr'}",
            f"--datadir={place / 'data'}",
            f"--socket={place / 'socket'}",
            f"--pid-file={place / 'pid'}",
            f"--port={self._ports[0]}",
            "--bind-address=127.0.0.1",
            "--user=root",
            f"--plugin-dir={root / 'usr/lib/mysql/plugin'}",
            "--innodb-buffer-pool-size=128M",
            "--innodb-lock-wait-timeout=900",
        )
        sql = (
            "create database slurm; create user slurm@'127.0.0.1' identified by 'slurm'; "
            "create user slurm@localhost identified by 'slurm'; "
            "grant all on slurm.* to slurm@'127.0.0.1'; grant all on slurm.* to slurm@localhost"
        )
        self._until("mariadb", "--no-defaults", f"--socket={place / 'socket'}", "-u", "root", "-e", sql)

    def _configuration(self) -> str:
        host, shape = socket.gethostname(), self.shape
        return "\n".join(
            [
                f"ClusterName={CLUSTER}",
                f"SlurmctldHost={host}(127.0.0.1)",
                f"SlurmctldPort={self._ports[1]}",
                "SlurmUser=root",
                "SlurmdUser=root",
                "AuthType=auth/munge",
                f"AuthInfo=socket={self.folder / 'munge/socket'}",
                f"PluginDir={self._packages.plugins}",
                f"StateSaveLocation={self.folder / 'state'}",
                f"SlurmdSpoolDir={self.folder / 'spool/%n'}",
                f"SlurmctldPidFile={self.folder / 'state/slurmctld.pid'}",
                f"SlurmdPidFile={self.folder / 'spool/%n.pid'}",
                f"SlurmctldLogFile={self.folder / 'log/slurmctld'}",
                f"SlurmdLogFile={self.folder / 'log/slurmd-%n.log'}",
                "ProctrackType=proctrack/linuxproc",
                "TaskPlugin=task/none",
                "SwitchType=switch/none",
                "MpiDefault=none",
                "ReturnToService=2",
                "KillWait=5",
                "SlurmdParameters=config_overrides",
                "SchedulerType=sched/backfill",
                "SelectType=select/cons_tres",
                "SelectTypeParameters=CR_CPU",
                *shape.scheduling,
                "AccountingStorageType=accounting_storage/slurmdbd",
                "AccountingStorageHost=127.0.0.1",
                f"AccountingStoragePort={self._ports[2]}",
                f"AccountingStoragePass={self.folder / 'munge/socket'}",
                "JobAcctGatherType=jobacct_gather/linux",
                "JobAcctGatherFrequency=1",
                "JobCompType=jobcomp/none",
                *(
                    f"NodeName=n{place} NodeAddr=127.0.0.1 NodeHostname={host} Port={port} "
                    f"CPUs={shape.processors} Sockets=1 CoresPerSocket={shape.processors} ThreadsPerCore=1 "
                    f"RealMemory={shape.memory_mb}{shape.feature_text(place)} State=UNKNOWN"
                    for place, port in enumerate(self._ports[4:], 1)
                ),
                *shape.partitions,
                "",
            ]
        )

    def _accounting_configuration(self) -> str:
        return "\n".join(
            [
                "AuthType=auth/munge",
                f"AuthInfo=socket={self.folder / 'munge/socket'}",
                "DbdHost=localhost",
                "DbdAddr=127.0.0.1",
                f"DbdPort={self._ports[2]}",
                "SlurmUser=root",
                f"PluginDir={self._packages.plugins}",
                f"LogFile={self.folder / 'log/slurmdbd'}",
                f"PidFile={self.folder / 'state/slurmdbd.pid'}",
                "StorageType=accounting_storage/mysql",
                "StorageHost=127.0.0.1",
                f"StoragePort={self._ports[0]}",
                "StorageUser=slurm",
                "StoragePass=slurm",
                "StorageLoc=slurm",
                "",
            ]
        )

    def _write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o600)
