"""The Wiki protocol: a port for an outside scheduler, and another resource manager that we schedule for."""

from pathlib import Path
from typing import Literal

from molokini.server.config.fields import (
    Flag,
    Name,
    Number,
    Section,
    Text,
    Whole,
    entry,
    file,
    flag,
    number,
    whole,
)
from molokini.server.config.names import NAME
from molokini.server.config.sections import LISTEN

_PLACE = r"^((\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):[0-9]{1,5})?$"
_ALGORITHMS = "DES, HMAC, HMAC64, MD5 or NONE"
_KEY_FILE = "A file with the key that both ends share; only the server's user may read it. "


class Wiki(Section):
    """A port by which an outside scheduler such as Maui drives this cluster ([wiki.md](wiki.md))."""

    listen: Text = entry(
        "",
        "Its address; empty: none. Messages are signed and not encrypted: anything but a loopback address "
        "needs the algorithm HMAC or HMAC64.",
        f"{LISTEN}; or empty",
        pattern=_PLACE,
    )
    key_file: Path | None = file(None, _KEY_FILE + "For DES it is a number.")
    algorithm: Literal["DES", "HMAC", "HMAC64", "MD5", "NONE"] = entry(
        "DES",
        "How messages are signed. Maui and Slurm have DES, which anyone who sees a message can forge. NONE "
        "only where security.mode is open.",
        _ALGORITHMS,
    )
    user: Name = entry(
        "wiki", "In whose name the outside scheduler acts, with the role of an operator; in the audit.", NAME
    )
    pause: Flag = flag(
        True, "Whether our own policy stops deciding when the port opens, as by a command of this user."
    )
    skew_s: Number = number(
        300.0, "Seconds by which the time of a message may differ from ours.", 1.0, 86_400.0
    )
    connections: Whole = whole(16, "Connections at a time; one more is closed at once.", 1, 1000)
    events: Text = entry(
        "",
        "Event port of the scheduler, which is notified there of changes; empty: none, unless "
        "the scheduler asks for one (INITIALIZE).",
        "HOST:PORT, or empty",
        pattern=_PLACE,
    )
    events_after_s: Number = number(
        10.0,
        "Seconds of real time for which changes are gathered before the scheduler is notified.",
        0.0,
        3600.0,
    )


class Manager(Section):
    """Another resource manager, whose nodes and jobs this server schedules ([wiki.md](wiki.md))."""

    address: Text = entry(
        "", "Where it listens; empty: there is none.", "HOST:PORT, or empty", pattern=_PLACE
    )
    key_file: Path | None = file(None, _KEY_FILE + "For DES it is a number.")
    algorithm: Literal["DES", "HMAC", "HMAC64", "MD5", "NONE"] = entry(
        "DES", "How messages are signed.", _ALGORITHMS
    )
    user: Name = entry("molokini", "The name that our messages carry.", NAME)
    poll_s: Number = number(
        10.0, "Seconds of real time between two looks at its nodes and jobs.", 0.05, 3600.0
    )
    skew_s: Number = number(
        300.0, "Seconds by which the time of its messages may differ from ours.", 1.0, 86_400.0
    )
    events: Text = entry(
        "",
        "Where we listen for its word that something has changed, after which we look at once; empty: "
        "nowhere.",
        f"{LISTEN}; or empty",
        pattern=_PLACE,
    )
