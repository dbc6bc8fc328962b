"""Gang scheduling in blocks of columns, with re-packing and classes of jobs.

Zhou, Brent (JSSPP 2001): a job has an aligned block of a power of two of processors for life, and each event
reassigns the slots, so that there are no more than jobs on the fullest processor. Short jobs start at once;
medium and long ones wait in one queue while as many of them share processors as may.
"""

from molokini.matrix.row_pass import forget_standing, settle
from molokini.matrix.slots import fill_blocks, keep_slots, repack, take_turns, take_up_blocks
from molokini.policy import Policy, View
from molokini.shared.in_blocks import (
    SOURCE,
    Classed,
    adopt_in_blocks,
    check_classes,
    count_standing,
    enter_by_class,
    explain_classes,
    repacks,
)

parameters = Classed.of

POLICY = Policy(
    name="buddy-gang",
    family="gang scheduling",
    summary="gang scheduling in blocks of processors, re-packed; short jobs start at once, others by limits",
    promise="a short job starts when it arrives, while there is a slot; what runs has a slot in each cycle",
    source=SOURCE,
    parameters=Classed.declared(),
    counted_only=True,
    reservable=False,
    in_rows=True,
    in_blocks=True,
    together=check_classes,
)


def begin(view: View, now: float) -> None:
    """Have the next pass find out again which jobs stand in the matrix."""
    forget_standing(view)


def schedule(view: View, now: float) -> None:
    """Let jobs enter by their classes, re-pack, fill."""
    take_up_blocks(view)
    count_standing(view)
    slots = 0 if repacks(view) else keep_slots(view)
    slots = adopt_in_blocks(view, slots)
    slots = enter_by_class(view, slots)
    if repacks(view):
        slots = repack(view)
    if parameters(view).several_slots == 0:
        fill_blocks(view, slots)
    take_turns(view, slots)
    settle(view)
    if view.cycle.explain:
        explain_classes(view)
