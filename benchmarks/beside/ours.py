"""Our own server beside it: four agents that run jobs on this machine, under the names of the same nodes."""

import os
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

from benchmarks.beside.programs import Programs, free_ports
from benchmarks.beside.real import BENCH, CLUSTER

_CONFIGURATION = """\
[server]
name = "{name}"
listen = "127.0.0.1:{port}"
journal = "{folder}/state"

[limits]
array_elements = 1000

[[queues]]
name = "batch"
default_estimate_s = 3600

[[queues]]
name = "debug"
default_estimate_s = 3600
"""


class Ours:
    """The cluster; from its start to its end as a context."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._molokini = str(Path(sys.executable).with_name("molokini"))
        self._port = free_ports(1)[0]
        path = f"{folder / 'bin'}:{os.environ['PATH']}"
        self.environment = {**os.environ, "PATH": path}
        self._programs = Programs(folder, self.environment)

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

    def _start(self) -> None:
        configuration = self.folder / "molokini.toml"
        configuration.write_text(
            _CONFIGURATION.format(name=CLUSTER, port=self._port, folder=self.folder), encoding="utf-8"
        )
        state = self.folder / "state"
        self._programs.ran(self._molokini, "shims", "bin", "--system", "slurm", "--state", str(state))
        self._programs.start(self._molokini, "serve", "--config", str(configuration), "--new", log="server")
        squeue = str(self.folder / "bin/squeue")
        self._programs.until(squeue, "-h")
        for place in range(1, BENCH.nodes + 1):
            self._programs.start(
                self._molokini,
                "agent",
                *("--server", f"127.0.0.1:{self._port}", "--token-file", str(state / "agent-token")),
                *("--mode", "process", "--name", f"n{place}", "--processors", str(BENCH.processors)),
                *("--memory", f"{BENCH.memory_mb}M", "--spool", str(self.folder / f"spool-n{place}")),
                *("--allow-root", "--lowest-uid", "0"),
                *(word for name in BENCH.features_of(place) for word in ("--feature", name)),
                log=f"agent-n{place}",
            )
            self._programs.until(str(self.folder / "bin/sinfo"), "-h", "-o", "%D", says=str(place))
