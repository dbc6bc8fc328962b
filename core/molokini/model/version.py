"""The version of this Molokini."""

from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed


def version() -> str:
    """The version of the installed distribution; ``unknown`` in a tree that is not installed."""
    try:
        return installed("molokini")
    except PackageNotFoundError:
        return "unknown"
