"""Programs that run until the comparison is over, and commands that are tried until they succeed."""

import socket
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

_START_S = 300.0
_END_S = 15.0


class DoesNotStart(Exception):
    """What was not ready in time, with the end of what it said."""


class Programs:
    """What runs in *folder* with *environment*; what it says is in files of the folder ``log``."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self.folder, self.environment = folder, dict(environment)
        self._running: list[subprocess.Popen[bytes]] = []

    def start(self, path: str, *words: str, log: str = "") -> None:
        """Start the program *path*, until ``end``."""
        out = self.folder / "log" / f"{log or Path(path).name}.out"
        out.parent.mkdir(parents=True, exist_ok=True)
        with out.open("wb") as file:
            running = subprocess.Popen(
                [path, *words],
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                env=self.environment,
                cwd=self.folder,
                start_new_session=True,
            )
        self._running.append(running)

    def ran(self, path: str, *words: str) -> subprocess.CompletedProcess[str]:
        """Run the command *path* to its end."""
        return subprocess.run(
            [path, *words],
            capture_output=True,
            text=True,
            check=False,
            env=self.environment,
            cwd=self.folder,
            timeout=_START_S,
        )

    def until(self, path: str, *words: str, says: str = "") -> None:
        """Run a command again and again until it succeeds and says *says*. Raises DoesNotStart."""
        end_s = time.monotonic() + _START_S
        while True:
            done = self.ran(path, *words)
            if not done.returncode and done.stdout.strip().endswith(says):
                return
            if time.monotonic() > end_s:
                said = (done.stdout + done.stderr).strip()[-400:]
                raise DoesNotStart(f"{Path(path).name} {' '.join(words)}: {said}")
            time.sleep(0.25)

    def end(self) -> None:
        """End all of them, the last one first."""
        for one in reversed(self._running):
            if one.poll() is None:
                one.terminate()
        for one in reversed(self._running):
            try:
                one.wait(_END_S)
            except subprocess.TimeoutExpired:
                one.kill()
                one.wait()
        self._running.clear()


def free_ports(count: int) -> list[int]:
    """Ports of loopback that are free now."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()
