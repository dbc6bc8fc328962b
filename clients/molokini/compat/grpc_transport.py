"""Calls by gRPC, for servers without a gateway that can be reached: it takes a tenth of a second to load."""

from __future__ import annotations

from molokini.compat._types import Any
from molokini.compat.failures import NoAnswer, NoServer, Refused
from molokini.compat.transport import asked_cluster, patiently, timeout_s

_CODES = {"NotFound": "NOT_FOUND", "NotAllowed": "PERMISSION_DENIED", "NotNow": "FAILED_PRECONDITION"}


class GrpcTransport:
    """Calls to the server that MOLOKINI_SERVER or the state folder names."""

    def __init__(self) -> None:
        self._cluster = ""

    @property
    def cluster(self) -> str:
        """The name of the cluster; it is asked for once."""
        if not self._cluster:
            self._cluster = asked_cluster(self)
        return self._cluster

    def call(self, service: str, method: str, document: dict[str, Any]) -> dict[str, Any]:
        """What the method answers. Raises Refused, NoAnswer or NoServer."""
        asked = f"{service}/{method}"
        found: dict[str, Any] = patiently(lambda: self._once(service, method, document), asked, document)
        return found

    @staticmethod
    def _once(service: str, method: str, document: dict[str, Any]) -> dict[str, Any]:
        _find_libraries()
        from molokini.client.calls import Patience
        from molokini.client.errors import ServerError, Unavailable
        from molokini.client.plain_calls import plain_call
        from molokini.model.errors import MolokiniError

        longest_s = timeout_s()
        patience = Patience(timeout_s=longest_s, attempt_s=longest_s, connect_s=min(2.0, longest_s))
        try:
            return plain_call(service, method, document, patience)
        except Unavailable as error:
            raise NoAnswer(str(error)) from None
        except ServerError as error:
            code = _CODES.get(type(error).__name__, "INVALID_ARGUMENT")
            raise Refused(code, str(error), error.reason, error.field) from None
        except MolokiniError as error:
            raise NoServer(str(error)) from None


def _find_libraries() -> None:
    """Commands run without the folders of installed packages; gRPC is in one of them."""
    import sys

    if sys.flags.no_site and "site" not in sys.modules:
        import site

        site.main()
