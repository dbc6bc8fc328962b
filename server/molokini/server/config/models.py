"""The tables of the configuration for jobs whose run time a model gives: what they need not say."""

from molokini.server.config.fields import LONGEST_S, Number, Section, entry, number

_COST = f"a number from 0 to {LONGEST_S:,.0f}"


def _optional(meaning: str) -> "Number | None":
    made: Number | None = entry(None, meaning, _COST, reload=True, ge=0.0, le=LONGEST_S)
    return made


def _of_a_unit(meaning: str) -> "Number | None":
    allowed = f"a number above 0, up to {LONGEST_S:,.0f}"
    made: Number | None = entry(None, meaning, allowed, reload=True, gt=0.0, le=LONGEST_S)
    return made


class Divisible(Section):
    """What a unit of a divisible load costs where its job does not say; what neither says is refused."""

    send_s: Number | None = _of_a_unit("Seconds to send a unit of load to a node (C_ms).")
    compute_s: Number | None = _of_a_unit("Seconds to compute a unit of load on a node (C_ps).")
    setup_send_s: Number = number(0.0, "Seconds before each transmission (ST).", 0.0, LONGEST_S, reload=True)
    setup_compute_s: Number = number(
        0.0, "Seconds before each computation (SC).", 0.0, LONGEST_S, reload=True
    )


class Communication(Section):
    """How long messages take where a communicating job does not say; what neither says is refused."""

    inside_s: Number | None = _optional("Seconds of a message between two processors of one cluster.")
    between_s: Number | None = _optional(
        "Seconds of a message between two clusters, at least communication.inside_s."
    )
