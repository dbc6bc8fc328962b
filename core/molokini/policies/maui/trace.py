"""What each step of an iteration did, counted in the global line: for diagnosis and for tests."""

from enum import IntEnum

from molokini.compiled.compilation import inner, kernel
from molokini.policies.maui.memory import TRACE
from molokini.tables.tables import Tables, View


class Step(IntEnum):
    """What is counted, in the order of the steps (paper, section 3)."""

    RESERVATIONS_KEPT = 0
    """3: reservations of earlier iterations."""
    RESERVED_STARTED = 1
    """3: jobs that started because their reservation had come."""
    ELIGIBLE_SOFT = 2
    """4: jobs within all soft limits."""
    ELIGIBLE_HARD = 3
    """4: jobs within all hard limits but not all soft ones."""
    INELIGIBLE = 4
    PRIORITIZED = 5
    """5: jobs in the list."""
    PRIORITY_STARTED = 6
    """6: jobs started in order of priority."""
    RESERVED = 7
    """6: reservations made."""
    SOFT_WINDOWS = 8
    """7: backfill windows that were looked at."""
    SOFT_BACKFILLED = 9
    HARD_WINDOWS = 10
    HARD_BACKFILLED = 11


_STEPS = len(Step)


@kernel
def forget_steps(view: View) -> None:
    """An iteration begins."""
    for k in range(_STEPS):
        view.global_i[TRACE + k] = 0


@inner
def note(view: View, step: int) -> None:
    """*step* did it once more."""
    view.global_i[TRACE + step] += 1


@inner
def note_more(view: View, step: int, times: int) -> None:
    """*step* did it so many times more."""
    view.global_i[TRACE + step] += times


def steps_of(tables: Tables) -> dict[str, int]:
    """What each step of the last iteration did, by name."""
    return {step.name.lower(): int(tables.global_i[TRACE + step]) for step in Step}
