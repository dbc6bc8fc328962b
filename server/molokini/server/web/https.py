"""TLS for the gateway, by the files that gRPC has, read again when they are renewed."""

import logging
import ssl
from collections.abc import Callable

from molokini.model.errors import MolokiniError
from molokini.server.config.guards import Security
from molokini.server.security.keys import Files

log = logging.getLogger("molokini.server.access")


def https_context(settings: Security, wall: Callable[[], float]) -> ssl.SSLContext | None:
    """What connections are made with in the modes tls and mtls; None in the others. BadFile as for gRPC."""
    if settings.mode not in ("tls", "mtls"):
        return None
    files = Files(settings, wall)
    files.read()
    first = _context(settings)
    present = [first]

    def at_a_connection(connection: ssl.SSLObject, name: str | None, old: ssl.SSLContext) -> None:
        """Use new files from the next connection on."""
        try:
            if files.newer() is not None:
                present[0] = _context(settings)
        except (MolokiniError, OSError) as error:
            log.error("the certificate of the gateway is not renewed: %s", error)
        connection.context = present[0]

    first.sni_callback = at_a_connection
    return first


def _context(settings: Security) -> ssl.SSLContext:
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.minimum_version = ssl.TLSVersion.TLSv1_2
    assert settings.certificate is not None
    made.load_cert_chain(settings.certificate, settings.key)
    if settings.mode == "mtls":
        # A certificate that is shown must be right. A client without one is answered why, and never served:
        # the end of a handshake would tell it nothing.
        made.verify_mode = ssl.CERT_OPTIONAL
        made.load_verify_locations(settings.ca)
    return made
