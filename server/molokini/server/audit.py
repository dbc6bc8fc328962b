"""The audit log: one line for every change that somebody has asked for.

The journal itself is the record: it holds who asked, what and when, in order, for ever. These lines are the
same facts for whoever reads logs; what jobs do by themselves is not among them.
"""

import logging

from molokini.model.codec import as_json, text_of
from molokini.model.happened import Happened, JobsSubmitted

log = logging.getLogger("molokini.audit")

_NOBODY = frozenset({"", "system", "policy", "configuration", "lease"})


def note(fact: Happened, serial: int, time_s: float) -> None:
    """Say who has changed what, where *fact* is somebody's wish."""
    if isinstance(fact, JobsSubmitted):
        # Thousands a second: these are for who looks closely.
        log.debug("%s submitted %d jobs from %d on", fact.user, len(fact.specs), fact.first_id)
        return
    by = getattr(fact, "by", "")
    if by not in _NOBODY:
        told = {name: value for name, value in as_json(fact).items() if value not in ("", None)}
        kind = told.pop("kind")
        told.pop("by")
        log.info("%s: %s %s", by, kind, text_of(told), extra={"serial": serial, "time_s": time_s})
