"""A live cluster from Python: ``from molokini.client import BlockingClient``, or ``Client`` with asyncio.

The names below are the face of this package: what a program needs, and what stays where it is. They are
imported when they are first used, so that a program that makes no call does not load grpc.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from molokini.client.blocking import BlockingClient as BlockingClient
    from molokini.client.calls import Patience as Patience
    from molokini.client.client import Client as Client
    from molokini.client.endpoint import Tls as Tls
    from molokini.client.errors import NotAllowed as NotAllowed
    from molokini.client.errors import NotFound as NotFound
    from molokini.client.errors import NotNow as NotNow
    from molokini.client.errors import Refused as Refused
    from molokini.client.errors import ServerError as ServerError
    from molokini.client.errors import Unavailable as Unavailable
    from molokini.client.specs import job_spec as job_spec
    from molokini.client.submitting import SubmitRefused as SubmitRefused
    from molokini.client.watching import Waited as Waited

_WHERE = {
    "BlockingClient": "blocking",
    "Client": "client",
    "NotAllowed": "errors",
    "NotFound": "errors",
    "NotNow": "errors",
    "Patience": "calls",
    "Refused": "errors",
    "ServerError": "errors",
    "SubmitRefused": "submitting",
    "Tls": "endpoint",
    "Unavailable": "errors",
    "Waited": "watching",
    "job_spec": "specs",
}

__all__ = list(_WHERE)


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(_WHERE)
