"""Where the server is, and the caller's proof: from arguments, the environment, or the state folder.

``molokini up`` leaves ``endpoint`` and ``token`` in its state folder, so that on the same machine nothing
needs to be said. No grpc here: a command must be able to complain before it loads that.
"""

import fcntl
import ipaddress
import os
import time
from dataclasses import dataclass
from pathlib import Path

from molokini.model.errors import BadFile, BadInput, BadValue, MolokiniError

SERVER_VARIABLE = "MOLOKINI_SERVER"
TOKEN_VARIABLE = "MOLOKINI_TOKEN"
TOKEN_FILE_VARIABLE = "MOLOKINI_TOKEN_FILE"
TLS_VARIABLES = {"ca": "MOLOKINI_TLS_CA", "certificate": "MOLOKINI_TLS_CERT", "key": "MOLOKINI_TLS_KEY"}
STATE = Path("molokini-state")
STARTING = "starting"
"""In the folder of the state, or beside it; a server keeps it locked from its start until it can be asked."""
_LARGEST_FILE = 1 << 20
_LOOK_S = 0.05


@dataclass(frozen=True)
class Tls:
    """Files in PEM: the authority of servers, and, for mutual TLS, the caller's certificate and its key."""

    ca: Path
    certificate: Path | None = None
    key: Path | None = None
    server_name: str = ""
    """The name in the server's certificate, where it is not the one in the target."""


@dataclass(frozen=True)
class Endpoint:
    """A server's address, ``host:port`` or ``unix:PATH``, and how to come before it."""

    target: str
    token: str = ""
    tls: Tls | None = None


def find_endpoint(target: str | None = None, token: str | None = None, tls: Tls | None = None) -> Endpoint:
    """What is not given is taken from the environment, then from ``./molokini-state``.

    BadInput where no server is named anywhere, or where a token would travel in clear text to another
    machine.
    """
    target = target or os.environ.get(SERVER_VARIABLE) or _target_file()
    check_target(target)
    tls = tls or _tls()
    local = is_local(target)
    token = _token(local) if token is None else token.strip()
    if token and tls is None and not local:
        raise BadInput(
            f"{target} is another machine, and the token would travel there in clear text; "
            f"name the authority that signed the server's certificate in {TLS_VARIABLES['ca']}"
        )
    if not token.isascii() or not token.isprintable():
        raise BadInput("the token holds characters that no token has; is its file the right one?")
    return Endpoint(target, token, tls)


class NotReady(MolokiniError):
    """The server that keeps its state here is starting, and cannot be asked yet."""


def await_start(longest_s: float) -> None:
    """Wait while a server that keeps its state here is starting; NotReady after *longest_s*.

    It does nothing where another server is named.
    """
    if os.environ.get(SERVER_VARIABLE):
        return
    until_s = time.monotonic() + longest_s
    while any(map(_is_starting, starting_files(STATE))):
        if time.monotonic() >= until_s:
            raise NotReady(
                f"the server in {STATE} is starting and was not ready within {longest_s:g} s; "
                "try again when it says that it is ready"
            )
        time.sleep(_LOOK_S)


def starting_files(folder: Path) -> tuple[Path, Path]:
    """Where a server on the state in *folder* says that it is starting: in it, or beside it."""
    return folder / STARTING, folder.with_name(f".{folder.name}.{STARTING}")


def _is_starting(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def check_target(target: str) -> None:
    """BadValue unless *target* is ``host:port`` or ``unix:PATH``."""
    if target.startswith("unix:") and len(target) > 5:
        return
    host, colon, port = target.rpartition(":")
    whole = port.isascii() and port.isdigit() and 1 <= int(port) <= 65535
    if not (host and colon and whole) or "/" in target or not target.isprintable() or " " in target:
        raise BadValue("server", target, "HOST:PORT, with a port from 1 to 65535, or unix:PATH")


def is_local(target: str) -> bool:
    """Whether what is sent to *target* stays on this machine."""
    if target.startswith("unix:"):
        return True
    host = target.rpartition(":")[0].strip("[]")
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() in ("localhost", "ip6-localhost")


def _target_file() -> str:
    path = STATE / "endpoint"
    if not path.exists():
        raise BadInput(
            f"no server is named: set {SERVER_VARIABLE} to HOST:PORT, or run this where 'molokini up' runs "
            f"(there is no {path} here; a server that was started just now makes it when it says that it is "
            "ready)"
        )
    return _read(path)


def _token(local: bool) -> str:
    if (token := os.environ.get(TOKEN_VARIABLE)) is not None:
        return token.strip()
    if name := os.environ.get(TOKEN_FILE_VARIABLE):
        return _read(Path(name))
    path = STATE / "token"
    # The token of this machine's server is not to be shown to another server.
    return _read(path) if local and path.exists() else ""


def _tls() -> Tls | None:
    given = {name: os.environ.get(variable) for name, variable in TLS_VARIABLES.items()}
    if not any(given.values()):
        return None
    if not given["ca"]:
        raise BadInput(f"{TLS_VARIABLES['ca']} is not set, but needed with the other MOLOKINI_TLS_ variables")
    certificate, key = given["certificate"], given["key"]
    return Tls(Path(given["ca"]), Path(certificate) if certificate else None, Path(key) if key else None)


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            text = file.read(_LARGEST_FILE).decode().strip()
    except UnicodeDecodeError:
        raise BadFile(str(path), "is no text") from None
    except OSError as error:
        raise BadFile(str(path), f"cannot be read: {error.strerror or error}") from None
    if not text or "\n" in text:
        raise BadFile(str(path), "should hold one line")
    return text
