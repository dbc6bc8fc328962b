"""Addresses to listen on: host, port, and whether others than this machine can reach them."""

import ipaddress


def host_of(address: str) -> str:
    """The host in ``HOST:PORT``, without the brackets of an IPv6 address."""
    return address.rpartition(":")[0].strip("[]")


def port_of(address: str) -> int:
    """The port in ``HOST:PORT``."""
    return int(address.rpartition(":")[2])


def is_loopback(address: str) -> bool:
    """Whether only this machine can reach *address*.

    A name other than ``localhost`` counts as reachable: what it resolves to is not ours to promise.
    """
    host = host_of(address)
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
