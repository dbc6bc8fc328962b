"""A private PostgreSQL for the tests that need one: on a Unix socket, in a folder of its own, then gone.

Debian's package ``postgresql`` is enough; nothing of the machine's own cluster is touched. The server refuses
to run as root, so root runs it as the package's user ``postgres``.
"""

import contextlib
import os
import pwd
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.kit.waiting import DEADLINE_S

USER = "postgres"


def binaries() -> Path | None:
    """The folder of the newest PostgreSQL server that is installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: float(path.parts[-3]))
    if found:
        return found[-1].parent
    on_path = shutil.which("postgres")
    return Path(on_path).resolve().parent if on_path else None


class Postgres:
    """A server with its data in *folder*; it can be stopped, killed, paused and started again."""

    def __init__(
        self,
        programs: Path,
        folder: Path,
        small: Path | None = None,
        address: str = "",
        inside: Sequence[str] = (),
    ) -> None:
        """*small*: a small disk for its write-ahead log; that is then kept to a few megabytes.

        *address*: it listens there as well, and trusts whoever comes; *inside* stands before its command.
        """
        self._programs, self.folder, self._small = programs, folder, small is not None
        self._address, self._inside = address, inside
        self._process: subprocess.Popen[bytes] | None = None
        more = (f"--waldir={small}/wal", "--wal-segsize=1") if small is not None else ()
        self._run(
            "initdb", "-D", f"{folder}/data", "-U", USER, "-A", "trust", "-E", "UTF8", "--no-sync", *more
        )

        if address:
            with (folder / "data" / "pg_hba.conf").open("a") as rules:
                rules.write("host all all samenet trust\n")

    def remote_url(self) -> str:
        """As another machine reaches it."""
        return f"postgresql://{USER}@{self._address}/postgres"

    def url(self, schema: str = "public") -> str:
        """The address of this server, with *schema* as the place for new tables."""
        return f"postgresql://{USER}@/postgres?host={self.folder}&search_path={schema}"

    def start(self) -> None:
        """Start the server and wait until it answers."""
        settings = [f"listen_addresses={self._address}", "max_connections=30", "shared_buffers=16MB"]
        if self._small:
            settings += ["min_wal_size=2MB", "max_wal_size=8MB"]
        options = [word for setting in settings for word in ("-c", setting)]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                (
                    *self._inside,
                    *self._command("postgres", "-D", f"{self.folder}/data", "-k", str(self.folder), *options),
                ),
                stdout=log,
                stderr=log,
                cwd=self.folder,
            )
        self._wait_until_ready()

    def sql(self, text: str) -> str:
        """What ``psql`` prints for *text*, without headings."""
        return self._run("psql", "-h", str(self.folder), "-U", USER, "-d", USER, "-AtX", "-c", text).strip()

    def stop(self) -> None:
        """Stop at once, as a machine's shutdown would: connections are cut, nothing is asked."""
        self._end(signal.SIGINT)

    def kill(self) -> None:
        """``kill -9`` of the server and of all that it started."""
        self._signal_all(signal.SIGKILL)
        self._end(signal.SIGKILL)

    def restart_at_once(self) -> None:
        """``pg_ctl restart -m immediate``: nothing is finished or written; it recovers as it starts."""
        self._end(signal.SIGQUIT)
        self.start()

    @property
    def alive(self) -> bool:
        """Whether its process has not ended."""
        return self._process is not None and self._process.poll() is None

    def pause(self) -> None:
        """Stop every process of the server where it is."""
        self._signal_all(signal.SIGSTOP)

    def resume(self) -> None:
        """Go on after ``pause``."""
        self._signal_all(signal.SIGCONT)

    def _signal_all(self, number: int) -> None:
        """Send *number* to each process of the server; a back end may end between the list and its turn."""
        for pid in self._family():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def _family(self) -> list[int]:
        """The server's process and its children; one back end is one child."""
        assert self._process is not None
        parent = self._process.pid
        try:
            children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        except FileNotFoundError:
            # It has ended meanwhile.
            children = []
        return [parent, *map(int, children)]

    def _end(self, number: int) -> None:
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait(DEADLINE_S)
            self._process = None

    def _command(self, program: str, *arguments: str) -> list[str]:
        switch = (
            ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--init-groups"] if os.geteuid() == 0 else []
        )
        return [*switch, str(self._programs / program), *arguments]

    def _run(self, program: str, *arguments: str) -> str:
        done = subprocess.run(
            self._command(program, *arguments), capture_output=True, text=True, cwd=self.folder, check=False
        )
        assert done.returncode == 0, f"{program}: {done.stderr}"
        return done.stdout

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + DEADLINE_S
        ready = self._command("pg_isready", "-q", "-h", str(self.folder), "-U", USER)
        while subprocess.run(ready, check=False, cwd=self.folder).returncode != 0:
            assert self._process is not None
            assert self._process.poll() is None, (self.folder / "log").read_text()
            assert time.monotonic() < deadline, "PostgreSQL did not answer in time"
            time.sleep(0.02)


def running(
    small: Path | None = None, *, log_only: bool = False, address: str = "", inside: Sequence[str] = ()
) -> Iterator[Postgres]:
    """A started server, stopped and removed afterwards; skips where PostgreSQL is not installed.

    *small*: a small disk for its data, or (*log_only*) for its write-ahead log alone. *address* and *inside*
    are those of ``Postgres``.
    """
    programs = binaries()
    if programs is None:
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    # The path of a socket has at most 107 characters, so not pytest's own long folders.
    folder = Path(tempfile.mkdtemp(prefix="molokini-pg-", dir=None if log_only else small))
    try:
        if os.geteuid() == 0:
            owner = pwd.getpwnam(USER)
            os.chown(folder, owner.pw_uid, owner.pw_gid)
            if small is not None:
                os.chown(small, owner.pw_uid, owner.pw_gid)
        server = Postgres(programs, folder, small, address, inside)
        server.start()
        try:
            yield server
        finally:
            server.resume()
            server.stop()
    finally:
        shutil.rmtree(folder)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """The session's server; a test makes its own schema in it (``schema_for``) and leaves it running."""
    yield from running()


def schema_for(server: Postgres, test: str) -> str:
    """The URL of a new, empty schema named after *test*."""
    name = re.sub(r"\W+", "_", test.lower()).strip("_")[-50:] + f"_{time.monotonic_ns():x}"[-12:]
    server.sql(f'CREATE SCHEMA "{name}"')
    return server.url(name)
