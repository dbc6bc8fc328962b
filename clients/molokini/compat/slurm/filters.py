"""Which jobs are meant: what users give as lists of names, and what the server does not look at itself."""

from __future__ import annotations

from molokini.compat._types import Invocation, JobView, Sequence, Values
from molokini.compat.tool import Failed


def names(text: str) -> list[str]:
    """The words of *text* between commas."""
    return [one.strip() for one in text.split(",") if one.strip()]


def user(run: Invocation, name: str) -> str:
    """The user's name, also where a number was given. Failed for a number that no user has."""
    if not name.isdigit():
        return name
    import pwd

    try:
        return pwd.getpwuid(int(name)).pw_name
    except (KeyError, OverflowError):
        raise Failed(f"{run.name}: error: Invalid user: {name}") from None


def known(name: str) -> bool:
    """Whether this machine has a user of this name or number."""
    import pwd

    try:
        pwd.getpwuid(int(name)) if name.isdigit() else pwd.getpwnam(name)
    except (KeyError, OverflowError):
        return False
    return True


def fits(run: Invocation, given: Values, view: JobView, queues: Sequence[str]) -> bool:
    """Whether *view* is one that was asked for by what the server does not look at.

    It does look at *queues*, but at those of an array as a whole, whose elements start in one of them each.
    """
    if queues and not set(queues).intersection(view.job.queues):
        return False
    for option_name, value in (("account", view.account), ("qos", view.qos), ("name", view.name)):
        if given.flag(option_name) and value not in names(given.one(option_name)):
            return False
    if given.flag("reservation") and view.detail("reservation") != given.one("reservation"):
        return False
    if given.flag("nodelist"):
        from molokini.compat.slurm.hosts import expanded

        try:
            wanted = set(expanded(given.one("nodelist")))
        except ValueError:
            raise Failed(f"{run.name}: error: Invalid node name {given.one('nodelist')}") from None
        return any(name in wanted for name, _ in view.allocated)
    return True
