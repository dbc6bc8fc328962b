"""The groups of users, as this machine knows them."""

from __future__ import annotations


def my_group() -> str:
    """The group of the user who calls, by name; its number where it has none."""
    import grp
    import os

    try:
        return grp.getgrgid(os.getgid()).gr_name
    except KeyError:
        return str(os.getgid())


def first_group(user: str) -> str:
    """The first group of *user*; empty where this machine does not know it."""
    import grp
    import pwd

    try:
        return grp.getgrgid(pwd.getpwnam(user).pw_gid).gr_name
    except KeyError:
        return ""
