"""What nodes keep of periods and slices, as agents say it, for the server's admission."""

from molokini.feedback.admission import CAP
from molokini.feedback.edf import WHOLE
from molokini.feedback.keeping import Keeps
from molokini.model.errors import BadValue
from molokini.proto.v1.jobs_pb2 import NodeSlices

_MOST_S = 60.0
_MOST_WAYS = 16


def check_slices(said: NodeSlices) -> None:
    """Raises BadValue for figures that no node has."""
    for name in ("least_period_s", "least_slice_s"):
        value = getattr(said, name)
        if not 0 <= value <= _MOST_S:
            raise BadValue(f"slices.{name}", value, f"from 0 to {_MOST_S:g} seconds")
    if not 0 <= said.usable_share <= 1:
        raise BadValue("slices.usable_share", said.usable_share, "from 0 to 1")
    ways = said.mechanisms
    if len(ways) > _MOST_WAYS or not all(1 <= len(way) <= 64 and way.isprintable() for way in ways):
        raise BadValue("slices.mechanisms", ", ".join(ways)[:60], f"at most {_MOST_WAYS} words of 1 to 64")


def keeps_of(said: NodeSlices | None) -> Keeps:
    """What admission goes by: what was measured, or what is assumed of every node."""
    if said is None or not said.measured:
        return Keeps()
    least_period, least_slice = round(1e9 * said.least_period_s), round(1e9 * said.least_slice_s)
    kept = least_period > 0 and least_slice > 0
    return Keeps(least_period, least_slice, min(CAP, round(WHOLE * said.usable_share)) if kept else 0)
