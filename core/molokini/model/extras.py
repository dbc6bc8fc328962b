"""Which extra of the distribution brings each package of others: the line that says what to install."""

from molokini.model.errors import MissingExtra

_BROUGHT_BY = {
    "numpy": "sim",
    "numba": "sim",
    "llvmlite": "sim",
    "scipy": "sim",
    "grpc": "client",
    "google": "client",
    "psutil": "agent",
    "pydantic": "maui",
    "grpc_health": "server",
    "grpc_reflection": "server",
    "aiohttp": "server",
    "cryptography": "server",
    "jwt": "server",
    "asyncpg": "postgres",
}
_DISTRIBUTIONS = {"google": "protobuf", "grpc": "grpcio", "jwt": "pyjwt"}
"""What pip calls a package that has another name in Python."""


def missing_extra(error: BaseException, purpose: str, extra: str = "") -> MissingExtra | None:
    """What *error* means to a user: *purpose* needs a package of an extra. None where that is not its cause.

    *extra* names the extras that bring all of what *purpose* needs, where that of the package that was missed
    first does not suffice.
    """
    package = (error.name or "").split(".")[0] if isinstance(error, ModuleNotFoundError) else ""
    if package not in _BROUGHT_BY:
        return None
    return MissingExtra(_DISTRIBUTIONS.get(package, package), extra or _BROUGHT_BY[package], purpose)
