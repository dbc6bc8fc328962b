"""What jobs are, as far as it depends on their place how long they run: a number and a name for each kind."""

from enum import IntEnum


class JobKind(IntEnum):
    """How the run time of a placed job comes about; ``placed.run_s`` has the closed form of each.

    The numbers of the two ways to cut a load are those that a policy's decision carries.
    """

    RIGID = 0
    """It runs as long as it has work, wherever it lies."""
    OPR = 1
    """A divisible load, cut so that all nodes end together."""
    EPR = 2
    """A divisible load in equal chunks."""
    ALL_TO_ALL = 3
    """Each task sends a message to every other, once."""
    BORDERS = 4
    """Each task sends to its neighbours; what it costs depends on whether one cluster holds them all."""
    ALL_TO_ALL_EACH_SECOND = 5
    """As ``ALL_TO_ALL``, once for every second of computation: longer jobs have more iterations."""
    ALL_TO_ALL_GIVEN_UP = 6
    """As ``ALL_TO_ALL_EACH_SECOND``, for a job whose time contains the exchanges, and which gives its
    processors up during them: it holds them for the computation alone. Section 3.2 of Bucur and Epema, JSSPP
    2001, compares with it in words.
    """


RULES: dict[str, JobKind] = {"opr": JobKind.OPR, "epr": JobKind.EPR}
"""The rules by which a divisible load is cut, by their names in the journal and on the wire."""

PATTERNS = {kind.name: kind for kind in (JobKind.ALL_TO_ALL, JobKind.BORDERS, JobKind.ALL_TO_ALL_EACH_SECOND)}
"""The ways to communicate that users may ask for, by their names in the journal and on the wire."""
WHOLE = JobKind.OPR
"""As what a divisible load is run on all processors that it asks for, where no policy divides it."""
