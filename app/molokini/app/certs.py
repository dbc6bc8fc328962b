"""``molokini certs``: a small authority, and what it signs for servers, nodes and users, as files."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from molokini.model.errors import BadFile, BadValue
from molokini.server.config.names import NAME, is_name
from molokini.server.security import private_files
from molokini.server.security.certificates import Authority, Issued, Kind

CA = "ca"
SERVER = "server"
LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")
LONGEST_S = 10 * 366 * 86_400.0
_AUTHORITY_OUTLIVES = 2.0


class Arguments(Protocol):
    """What the command line says."""

    @property
    def folder(self) -> str | Path:
        """Where the files are, or will be."""

    @property
    def hosts(self) -> Sequence[str]:
        """Names and addresses by which clients call the server, beside those of this machine alone."""

    @property
    def nodes(self) -> Sequence[str]:
        """Names of agents that get a certificate."""

    @property
    def users(self) -> Sequence[str]:
        """Names of users who get a certificate."""

    @property
    def lifetime_s(self) -> float:
        """How long the certificates are good, in seconds from now."""


@dataclass(frozen=True)
class _Wanted:
    """One certificate: its file's name, and the name in it."""

    file: str
    kind: Kind
    name: str
    hosts: Sequence[str] = ()


def run(arguments: Arguments) -> None:
    """Make what is missing in the folder and print one line for each certificate.

    Writes ``ca.pem``, ``server.pem``, ``node-NAME.pem``, ``user-NAME.pem`` and a key (mode 0600) beside each.
    An authority that is there signs again; a certificate that is there is never replaced: BadFile before
    anything is written.
    """
    if not 1.0 <= arguments.lifetime_s <= LONGEST_S:
        raise BadValue("--lifetime", arguments.lifetime_s, f"from 1 to {LONGEST_S:.0f} seconds (ten years)")
    folder = Path(arguments.folder)
    wanted = list(_wanted(arguments, folder))
    _refuse_to_replace(folder, wanted)
    authority = _authority(folder, arguments.lifetime_s)
    left_s = authority.until_s - time.time()
    if arguments.lifetime_s > left_s:
        raise BadValue(
            "--lifetime", arguments.lifetime_s, f"at most {left_s:.0f} s, what the authority has left"
        )
    # Signed before the first is written: one that cannot be made leaves nothing of the others behind.
    issued = [(one, authority.issue(one.kind, one.name, arguments.lifetime_s, one.hosts)) for one in wanted]
    until = datetime.fromtimestamp(time.time() + arguments.lifetime_s, UTC)
    for one, certificate in issued:
        path = _write(folder, one.file, certificate)
        print(f"{path}: {one.kind} {one.name}, good until {until:%Y-%m-%d %H:%M:%S} UTC")


def _wanted(arguments: Arguments, folder: Path) -> Iterator[_Wanted]:
    """The server's only when it is missing: more nodes and users may follow at any time."""
    if not (folder / f"{SERVER}.pem").exists():
        hosts = list(dict.fromkeys((*arguments.hosts, *LOCAL_HOSTS)))
        yield _Wanted(SERVER, Kind.SERVER, SERVER, hosts)
    elif arguments.hosts:
        raise BadFile(str(folder / f"{SERVER}.pem"), "exists already; remove it and its key to name hosts")
    for kind, names in ((Kind.NODE, arguments.nodes), (Kind.USER, arguments.users)):
        for name in dict.fromkeys(names):
            if not is_name(name):
                raise BadValue(f"name of a {kind}", name, NAME)
            yield _Wanted(f"{kind}-{name}", kind, name)


def _refuse_to_replace(folder: Path, wanted: Sequence[_Wanted]) -> None:
    for one in wanted:
        for path in _paths(folder, one.file):
            if path.exists():
                raise BadFile(str(path), "exists already; remove it to make a new one")


def _authority(folder: Path, lifetime_s: float) -> Authority:
    """The folder's authority, made where there is none."""
    certificate, key = _paths(folder, CA)
    if certificate.exists() != key.exists():
        missing = key if certificate.exists() else certificate
        raise BadFile(str(missing), "is missing, although its other half exists; the authority cannot sign")
    if certificate.exists():
        try:
            return Authority.loaded(Issued(certificate.read_bytes(), private_files.read(key)))
        except ValueError as error:
            raise BadFile(str(certificate), f"is not an authority: {error}") from error
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise BadFile(str(folder), f"cannot be made: {error.strerror or error}") from error
    authority = Authority.made("molokini test authority", lifetime_s * _AUTHORITY_OUTLIVES)
    path = _write(folder, CA, authority.pem)
    print(f"{path}: the authority; its key signs users and nodes, so keep it secret")
    return authority


def _write(folder: Path, name: str, issued: Issued) -> Path:
    certificate, key = _paths(folder, name)
    for path, body in ((key, issued.key), (certificate, issued.certificate)):
        if not private_files.create(path, body):
            raise BadFile(str(path), "another process has just made it")
    certificate.chmod(0o644)
    return certificate


def _paths(folder: Path, name: str) -> tuple[Path, Path]:
    return folder / f"{name}.pem", folder / f"{name}.key"
