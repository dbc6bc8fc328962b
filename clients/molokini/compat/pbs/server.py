"""The name of the server, which every job's name ends with: that of the cluster."""

from __future__ import annotations

from molokini.compat._types import Invocation


def server_name(run: Invocation) -> str:
    """The cluster's name, by its configuration. Raises what the transport raises."""
    return run.transport.cluster


def here_is(server: str, named: str) -> bool:
    """Whether *named*, behind an @, is this *server*: its name, or nothing."""
    return named in ("", server)
