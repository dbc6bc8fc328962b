"""What each step of an iteration did, counted in the global line: for diagnosis and for tests."""

from molokini.compiled.compilation import inner, kernel
from molokini.policies.maui.configuration.words import word
from molokini.policies.maui.knowledge.memory import mine
from molokini.policies.maui.knowledge.steps import Step
from molokini.shared.introspection import StepTold
from molokini.tables.tables import Tables, View

_STEPS = len(Step)


@kernel
def forget_steps(view: View) -> None:
    """An iteration begins."""
    for k in range(_STEPS):
        mine(view).trace[k] = 0


@inner
def note(view: View, step: int) -> None:
    """Count one more for *step*."""
    mine(view).trace[step] += 1


@inner
def note_more(view: View, step: int, times: int) -> None:
    """Count so many *times* more for *step*."""
    mine(view).trace[step] += times


def steps_of(tables: Tables) -> dict[str, int]:
    """What each step of the last iteration did, by name."""
    return {step.name.lower(): int(mine(tables).trace[step]) for step in Step}


_WORDS: tuple[tuple[str, tuple[Step, ...]], ...] = (
    ("read the state of nodes and jobs", ()),
    ("charge usage", ()),
    ("keep or forget reservations, start what is due", (Step.RESERVATIONS_KEPT, Step.RESERVED_STARTED)),
    ("select jobs that are eligible", (Step.ELIGIBLE_SOFT, Step.ELIGIBLE_HARD, Step.INELIGIBLE)),
    ("compute priorities and sort jobs", (Step.PRIORITIZED,)),
    (
        "start jobs by priority, reserve for those that do not fit",
        (Step.PRIORITY_STARTED, Step.RESERVED),
    ),
    ("backfill within soft limits", (Step.SOFT_WINDOWS, Step.SOFT_BACKFILLED)),
    ("backfill within hard limits", (Step.HARD_WINDOWS, Step.HARD_BACKFILLED)),
)
"""The eight steps (paper, section 3), and what is counted in each."""
_STARTING = {
    Step.RESERVED_STARTED: "its reservation is due",
    Step.PRIORITY_STARTED: "the next by priority, and there is room",
    Step.SOFT_BACKFILLED: "it fits a window and delays no reservation",
    Step.HARD_BACKFILLED: "it fits a window; only soft limits kept it waiting",
}
"""What counts jobs that start, and why they do."""


def steps_told(tables: Tables) -> list[StepTold]:
    """The steps of the last iteration in words, and what each of them did."""
    made = []
    for name, counted in _WORDS:
        count = {step: int(mine(tables).trace[step]) for step in counted}
        starting = [step for step in counted if step in _STARTING]
        counts = {word(step): times for step, times in count.items()}
        starts, why = sum(count[step] for step in starting), "".join(_STARTING[step] for step in starting)
        made.append(StepTold(name, counts, starts, why))
    return made
