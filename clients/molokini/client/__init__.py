"""A live cluster from Python: ``from molokini.client import BlockingClient``, or ``Client`` with asyncio.

The names below are the face of this package: what a program needs, and what stays where it is. They are
imported when they are first used, so that a program that makes no call does not load grpc.
"""

import os
from typing import TYPE_CHECKING

from molokini.model.lazy_face import lazy_face

if TYPE_CHECKING:
    from molokini.client.blocking import BlockingClient as BlockingClient
    from molokini.client.calls import Patience as Patience
    from molokini.client.client import Client as Client
    from molokini.client.endpoint import Tls as Tls
    from molokini.client.errors import Busy as Busy
    from molokini.client.errors import HistoryGone as HistoryGone
    from molokini.client.errors import NoAnswer as NoAnswer
    from molokini.client.errors import NotAllowed as NotAllowed
    from molokini.client.errors import NotFound as NotFound
    from molokini.client.errors import NotNow as NotNow
    from molokini.client.errors import NotSignedIn as NotSignedIn
    from molokini.client.errors import NotSupported as NotSupported
    from molokini.client.errors import OverLimit as OverLimit
    from molokini.client.errors import Refused as Refused
    from molokini.client.errors import ServerError as ServerError
    from molokini.client.errors import ServerFault as ServerFault
    from molokini.client.errors import Unavailable as Unavailable
    from molokini.client.specs import job_spec as job_spec
    from molokini.client.submitting import SubmitRefused as SubmitRefused
    from molokini.client.watching import Waited as Waited
    from molokini.model.errors import BadInput as BadInput
    from molokini.model.errors import MolokiniError as MolokiniError

_WHERE = {
    "BadInput": "errors",
    "BlockingClient": "blocking",
    "Busy": "errors",
    "Client": "client",
    "HistoryGone": "errors",
    "MolokiniError": "errors",
    "NoAnswer": "errors",
    "NotAllowed": "errors",
    "NotFound": "errors",
    "NotNow": "errors",
    "NotSignedIn": "errors",
    "NotSupported": "errors",
    "OverLimit": "errors",
    "Patience": "calls",
    "Refused": "errors",
    "ServerError": "errors",
    "ServerFault": "errors",
    "SubmitRefused": "submitting",
    "Tls": "endpoint",
    "Unavailable": "errors",
    "Waited": "watching",
    "job_spec": "specs",
}

# A client tells in an error why a connection failed, and mends one that has ended: gRPC need not write about
# either on standard error. It reads this when it is first imported.
os.environ.setdefault("GRPC_VERBOSITY", "ERROR")

__all__ = list(_WHERE)
__getattr__, __dir__ = lazy_face(__name__, _WHERE)
