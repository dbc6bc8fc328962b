"""Who may use which reservations, found once for a credential: the same as found for each question."""

from dataclasses import replace

import numpy as np
import pytest

from molokini.cycle.cycle import begin_pass
from molokini.model.machine import Machine
from molokini.model.reservations import Reservation, Terms
from molokini.policies import load_policy
from molokini.sim.replay import Options, Replay
from molokini.tables.access import NO_ACCESS, affinity_of, has_access, open_to
from tests.core.sim.test_reservations import work_of

TERMS: tuple[tuple[dict[str, tuple[str, ...]], Terms], ...] = (
    ({"user": ("7", "8-")}, Terms()),
    ({"user": ("7",)}, Terms(denied={"group": ("1",)})),
    ({}, Terms(required={"user": ("8=",)})),
    ({"user": ("7", "9")}, Terms(required={"user": ("9",)})),
    ({}, Terms()),
)


ASKED: dict[str, tuple[dict[str, tuple[str, ...]], Terms]] = {
    "nobody": ({"user": ("9",)}, Terms()),
    "admits": ({"duration": ("25",)}, Terms()),
    "denies": ({"user": ("8",)}, Terms(denied={"duration": ("25",)})),
    "requires": ({"user": ("8",)}, Terms(required={"duration": ("25",)})),
}
"""Access to the last reservation: in all ways but the first the length of a job matters."""


@pytest.mark.parametrize("first", range(len(TERMS)))
@pytest.mark.parametrize("how", ASKED)
def test_bits_say_what_each_question_says(how: str, first: int) -> None:
    """With and without a reservation that asks for the length of a job, which jobs of a user do not share;
    whichever comes first.
    """
    turned = TERMS[first:] + TERMS[:first]
    found = [Reservation(f"r{k}", 1, 0.0, 90.0, access, terms) for k, (access, terms) in enumerate(turned)]
    found.append(Reservation("short", 1, 0.0, 90.0, *ASKED[how]))
    work = work_of((0.0, 20.0, 8, 7), (0.0, 20.0, 8, 8), (0.0, 30.0, 8, 8), (0.0, 20.0, 8, 9))
    # Those of user 8 have one row of credentials.
    work = replace(work, group=np.array([1, 2, 2, 2]), queue=np.ones(4, np.int64))
    options = Options(reservations=tuple(found), interpreted=True)
    replay = Replay(work, Machine.counted(8), load_policy("maui"), options=options)
    replay.run(0.0)
    t = replay.tables
    begin_pass(t, 0.0)
    rows = [row for row in range(t.jobs.state.size) if t.jobs.number[row] > 0]
    answers = [[affinity_of(t, row, r) > NO_ACCESS for r in range(t.reservations.count)] for row in rows]
    assert len({tuple(one) for one in answers}) >= 3
    assert (answers[1] != answers[2]) == (how != "nobody")
    for row, wanted in zip(rows, answers, strict=True):
        assert [has_access(t, row, r) for r in range(t.reservations.count)] == wanted
        assert [bool(open_to(t, row) >> r & 1) for r in range(t.reservations.count)] == wanted
