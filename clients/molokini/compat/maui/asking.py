"""Reports of the server, and for whom they are asked."""

from __future__ import annotations

import json

from molokini.compat._types import Any, Found, Invocation

KINDS = {"u": "user", "g": "group", "a": "account", "c": "queue", "q": "qos"}
"""The kinds of credentials, by the letters of most commands: classes are queues here."""


def report(run: Invocation, name: str, **asked: Any) -> Found:
    """The report called *name* about what is *asked*. Raises what the transport raises."""
    answer = run.transport.call("ClusterService", "GetReport", {"name": name, **asked})
    found: Found = json.loads(answer["json"])
    return found


def me() -> str:
    """The user who calls, by name."""
    import os
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())
