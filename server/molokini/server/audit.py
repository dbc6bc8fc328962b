"""The audit log: one line for every change that a caller has asked for.

The journal itself is the record: it keeps caller, change and instant, in order, permanently. These lines are
the same facts for readers of logs; what jobs do by themselves is not among them.
"""

import logging

from molokini.model.actors import Origin
from molokini.model.canonical import text_of
from molokini.model.codec import as_json
from molokini.model.facts import Fact, JobsSubmitted

log = logging.getLogger("molokini.audit")


def note(fact: Fact, serial: int, time_s: float) -> None:
    """Log the caller and the change, where *fact* is what a caller has asked for."""
    if isinstance(fact, JobsSubmitted):
        # Thousands a second: the level debug alone has these.
        log.debug("%s submitted %d jobs from %d on", fact.user, len(fact.specs), fact.first_id)
        return
    by = getattr(fact, "by", "")
    if by and not isinstance(by, Origin):
        told = {name: value for name, value in as_json(fact).items() if value not in ("", None)}
        kind = told.pop("kind")
        told.pop("by")
        log.info("%s: %s %s", by, kind, text_of(told), extra={"serial": serial, "time_s": time_s})
