"""Names of users."""

from __future__ import annotations

import os


def me() -> str:
    """The name of the user who calls; the number where it has none."""
    import pwd

    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return str(os.geteuid())
