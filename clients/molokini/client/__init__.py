"""A live cluster from Python: ``from molokini.client import BlockingClient``, or ``Client`` with asyncio.

The names below are the face of this package: what a program needs, and what stays where it is. They are
imported when they are first used, so that a program that makes no call does not load grpc.
"""

from typing import TYPE_CHECKING

from molokini.model.lazy_face import lazy_face

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
__getattr__, __dir__ = lazy_face(__name__, _WHERE)
