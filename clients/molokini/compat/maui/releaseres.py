"""``releaseres``: gives reservations up."""

from __future__ import annotations

from molokini.compat._types import Invocation
from molokini.compat.failures import Refused
from molokini.compat.maui.failing import no
from molokini.compat.maui.reading import HELP, read

OPTIONS = (HELP,)


def run(run: Invocation) -> int:
    """Release the reservations that are named, one after the other."""
    given = read(run, OPTIONS, "RESERVATION ...")
    if not given.words:
        raise no("releaseres wants the name of a reservation")
    code = 0
    for name in given.words:
        try:
            run.transport.call("ClusterService", "ReleaseReservation", {"name": name})
        except Refused as refusal:
            run.complain(f"ERROR:    {refusal}")
            code = 1
        else:
            run.say(f"released User reservation '{name}'")
    return code
