"""Who calls, what that caller may do, and what of a call never reaches a handler."""

from molokini.server.security.decoding import add_services
from molokini.server.security.roles import Caller, Role, caller
from molokini.server.security.serving import Security, server_security

__all__ = ["Caller", "Role", "Security", "add_services", "caller", "server_security"]
