"""What calls to a server have in common: the environment, patience, refusals. Three modules carry them.

A call is repeated while the server is starting or too busy. One whose answer is lost is repeated, too, where
it bears that: a submission does by its key.
"""

from __future__ import annotations

import json
import os
import time

from molokini.compat._types import Any
from molokini.compat.failures import NoAnswer, NoServer, Refused, TransportError
from molokini.compat.repeating import RULES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class Transport(Protocol):
        """Where calls go."""

        @property
        def cluster(self) -> str:
            """The name of the cluster; asked for where nothing has told it."""

        def call(self, service: str, method: str, document: dict[str, Any]) -> dict[str, Any]:
            """What the method answers. Raises Refused, or NoAnswer."""


GATEWAY, SERVER, TOKEN = "MOLOKINI_GATEWAY", "MOLOKINI_SERVER", "MOLOKINI_TOKEN"
TOKEN_FILE = "MOLOKINI_TOKEN_FILE"
TIMEOUT = "MOLOKINI_TIMEOUT_S"
STATE = "molokini-state"
SOCKET = "socket"
CLUSTER_HEADER = "molokini-cluster"
"""In which the gateway tells the name of the cluster with each answer."""
CLUSTER_FILE = ".cluster"
"""Behind the path of a socket: the file in which its server tells the name before any call."""

_AGAIN_S, _TIMEOUT_S = 0.05, 10.0
_BUSY = ("not_ready", "busy", "too_much")


def timeout_s() -> float:
    """How long a command has patience, in seconds."""
    text = os.environ.get(TIMEOUT, "")
    try:
        found = float(text) if text else _TIMEOUT_S
    except ValueError:
        found = 0.0
    if not 0 < found < float("inf"):
        raise NoServer(f"{TIMEOUT} {text!r}: must be a number of seconds above 0")
    return found


def token() -> str:
    """The token that the environment names; empty where there is none."""
    if (shown := os.environ.get(TOKEN)) is not None:
        return shown.strip()
    name = os.environ.get(TOKEN_FILE)
    if not name:
        return ""
    try:
        with open(name, encoding="ascii") as file:
            return file.read(65536).strip()
    except (OSError, ValueError) as error:
        raise NoServer(f"{TOKEN_FILE} {name}: {getattr(error, 'strerror', None) or 'no text'}") from None


def patiently(once: Any, asked: str, document: dict[str, Any]) -> Any:
    """What ``once()`` returns; asked again while the server is busy, or after a lost answer if safe.

    Raises NoServer where it is not ready after all that time."""
    until_s, again_s = time.monotonic() + timeout_s(), _AGAIN_S
    while True:
        try:
            return once()
        except (NoAnswer, Refused) as error:
            if not _bears_repeating(error, asked, document) or time.monotonic() + again_s > until_s:
                if isinstance(error, Refused) and error.code == "UNAVAILABLE":
                    raise NoServer(str(error)) from None
                raise
        time.sleep(again_s)
        again_s = min(2 * again_s, 1.0)


def _bears_repeating(error: TransportError, asked: str, document: dict[str, Any]) -> bool:
    if isinstance(error, Refused):
        return error.reason in _BUSY or error.code == "UNAVAILABLE"
    if asked not in RULES:
        return True
    field, if_set = RULES[asked]
    value: Any = document
    for name in field.split(".") if field else ():
        value = value.get(name, {})
    return bool(field) and bool(value) is if_set


def asked_cluster(transport: Transport) -> str:
    """The name of the cluster, by a call."""
    return str(transport.call("ClusterService", "GetCluster", {}).get("name", "molokini"))


def refused(answer: bytes, status: int) -> Refused:
    """The refusal that the body *answer* tells."""
    try:
        told = json.loads(answer)["error"]
        return Refused(told["code"], told["message"], told.get("reason", ""), told.get("field", ""))
    except (ValueError, KeyError, TypeError):
        return Refused("UNKNOWN", f"the server answers with status {status}")
