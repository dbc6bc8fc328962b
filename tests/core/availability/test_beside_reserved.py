"""Room beside what administrators reserve: whether a job has it, when it has, whether it may start."""

from collections.abc import Sequence

from hypothesis import example, given, settings
from hypothesis import strategies as st

from molokini.availability.beside_reserved import earliest_beside, fits_beside, may_start
from molokini.model.coallocation import RequestKind
from molokini.model.reservations import Reservation
from molokini.model.states import JobState
from molokini.tables.additions import add_credential
from molokini.tables.reservation_changes import set_reservations
from molokini.tables.running import join_running, sort_running
from molokini.tables.tables import Tables
from tests.core.availability.test_lanes import ASKING, HORIZON, MOST_PLANNED, planned, some_lanes
from tests.kit.plain_availability import NEVER
from tests.kit.reserved_nodes import ASKING as ASKING_FOR_NODES
from tests.kit.reserved_nodes import NODES, ReservedNodes, Runs, some_kept, some_running
from tests.kit.reserved_nodes import Kept as KeptOnNodes

Kept = tuple[int, int, int]
"""What an administrator reserves: from when on, for how long, how many processors."""
USERS = (7, 8, 9)
"""The first reservation admits the first user, the second the second; the third user has no access."""


def reserve(t: Tables, kept: Sequence[Kept]) -> None:
    """Reserve so much of counted processors."""
    found = []
    for r, (from_s, length_s, processors) in enumerate(kept):
        access = {"user": (str(USERS[r]),)} if r < 2 else {}
        found.append(Reservation(f"r{r}", processors, float(from_s), float(from_s + length_s), access))
    set_reservations(t, found, lambda _, name: int(name))


def kept_from(user: int, kept: Sequence[Kept], running: Sequence[tuple[int, int, int]], at_s: int) -> int:
    """Processors that are kept from jobs of *user* then; of running jobs: width, end, user."""
    in_all = 0
    for r, (from_s, length_s, processors) in enumerate(kept):
        admitted = USERS[r] if r < 2 else None
        if from_s <= at_s < from_s + length_s and user != admitted:
            inside = sum(width for width, end_s, one in running if one == admitted and end_s > at_s)
            in_all += max(0, processors - inside)
    return in_all


@given(
    sizes_of_lanes=some_lanes,
    running=st.lists(st.tuples(st.integers(1, 4), st.integers(1, 30), st.sampled_from(USERS)), max_size=4),
    kept=st.lists(
        st.tuples(st.integers(0, 40), st.integers(1, 25), st.integers(1, 6)), min_size=1, max_size=3
    ),
    user=st.sampled_from(USERS),
    width=st.integers(1, 9),
    length_s=st.integers(0, 15),
    from_s=st.integers(0, 20),
    plans=st.lists(st.tuples(st.integers(0, 20), st.integers(1, 15), st.integers(1, 6)), max_size=4),
)
@example(
    # The only step within the time asked for is the end of the first job, which runs inside what is kept.
    sizes_of_lanes=(1, 1, 3, 5),
    running=[(1, 2, USERS[0])],
    kept=[(0, 3, 1)],
    user=USERS[1],
    width=10,
    length_s=2,
    from_s=1,
    plans=[],
)
@settings(max_examples=300, deadline=None)
def test_room_beside_what_administrators_reserve(
    sizes_of_lanes: tuple[int, ...],
    running: list[tuple[int, int, int]],
    kept: list[Kept],
    user: int,
    width: int,
    length_s: int,
    from_s: int,
    plans: list[tuple[int, int, int]],
) -> None:
    """Of all lanes together so much is kept; running jobs with access are inside."""
    both = planned(sizes_of_lanes, [("plan", after, length, wide, 0) for after, length, wide in plans])
    t = both.tables
    reserve(t, kept)
    # Jobs run on processors that the plan has for them: here beside those of the lanes, so they only count
    # for what reservations keep.
    credentials = {one: add_credential(t, one, -1, -1, -1, -1) for one in USERS}
    for row, (wide, end_s, owner) in enumerate(running, MOST_PLANNED):
        t.jobs.state[row], t.jobs.expected_end_s[row] = JobState.RUNNING, float(end_s)
        t.jobs.width[row] = t.jobs.held[row] = wide
        t.jobs.credential[row] = credentials[owner]
        join_running(t, row)
    sort_running(t)
    t.jobs.credential[ASKING] = credentials[user]
    t.cycle.pass_s, t.cycle.room_epoch = 0.0, 5
    asked = both.wanted(RequestKind.FLEXIBLE, [width])

    def left(at_s: int) -> int:
        return sum(both.plain.free[at_s]) - kept_from(user, kept, running, at_s)

    def fits(at_s: int) -> bool:
        during = range(at_s, at_s + max(1, length_s))
        return both.plain.fits(asked, at_s, length_s) is not None and all(left(at) >= width for at in during)

    wanted_s = next((float(at_s) for at_s in range(from_s, HORIZON) if fits(at_s)), NEVER)
    assert fits_beside(t, ASKING, float(length_s), float(from_s)) == fits(from_s)
    assert earliest_beside(t, ASKING, float(length_s), float(from_s)) == wanted_s


@given(
    running=some_running,
    kept=some_kept,
    user=st.sampled_from(USERS),
    width=st.integers(1, 12),
    estimate_s=st.integers(0, 25),
)
@settings(max_examples=200, deadline=None)
def test_whether_a_job_may_start_now(
    running: list[Runs], kept: list[KeptOnNodes], user: int, width: int, estimate_s: int
) -> None:
    """At each second of its estimate there is as much idle as it takes, and as is kept from it."""
    plain = ReservedNodes(running, kept)
    t = plain.tables(user, width, estimate_s)

    def left(at_s: int) -> int:
        nodes = [(plain.idle(node, at_s), plain.kept_on(user, node, at_s)) for node in range(NODES)]
        return sum(idle - max(0, min(idle, some)) for idle, some in nodes)

    def strange(at_s: int) -> bool:
        return any(one.lasts(at_s) and user not in one.users for one in kept)

    seconds = [at_s for at_s in range(max(1, estimate_s)) if strange(at_s)]
    assert may_start(t, ASKING_FOR_NODES) == all(width <= left(at_s) for at_s in seconds)


def test_a_job_that_two_reservations_admit_counts_in_one() -> None:
    """A node of four is kept, two by each; the job inside takes one of the first until second 6."""
    twice = [KeptOnNodes({0: 2, 1: 2}, 0, 14, (8,), False)] * 2
    plain = ReservedNodes([Runs(0, 1, 6, 8)], twice)
    assert not may_start(plain.tables(9, 5, 8), ASKING_FOR_NODES)
    assert may_start(plain.tables(9, 4, 8), ASKING_FOR_NODES)
