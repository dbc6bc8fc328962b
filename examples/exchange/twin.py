"""The same run as a job of emulated nodes: its times by the closed form of a communicating job.

On processors of its own an iteration takes its computation and then its exchange, so a run takes
iterations * (computation + exchange). The models of communicating jobs take computation and messages as two
sums: all-to-all adds a message for every partner, borders one time for all neighbours.
"""

from typing import NamedTuple

from exchange.options import Options, Refused


class Twin(NamedTuple):
    """The options for ``molokini submit``."""

    processors: int
    communication: str
    message_s: float
    """A message inside a cluster; for borders, all of them."""
    run_s: float
    """The computation."""

    @property
    def command(self) -> str:
        """The whole command line. Messages between clusters cost the same here."""
        message = f"{self.message_s:.9g}"
        return (
            f"molokini submit --processors {self.processors} --communication {self.communication} "
            f"--message {message},{message} --emulate run={self.run_s:.9g}"
        )


def twin(options: Options) -> Twin:
    """The twin of a run with a count of iterations, a grain and a ratio. Raises Refused."""
    if not options.iterations or options.units is not None:
        raise Refused("--twin: it needs --iterations, --grain and --ratio, not --seconds or --units")
    exchanges_s = options.iterations * options.exchange_s if options.tasks > 1 else 0.0
    all_to_all = options.pattern == "all-to-all"
    message_s = exchanges_s / max(1, options.tasks - 1) if all_to_all else exchanges_s
    return Twin(
        options.tasks,
        "all-to-all" if all_to_all else "borders",
        message_s,
        options.iterations * options.compute_s,
    )
