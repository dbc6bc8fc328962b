"""The steps of gang scheduling in blocks (Zhou, Brent, JSSPP 2001, section 2): slots, re-packing, copies.

Rows are called slots there. A job keeps its columns; which slot it has is a matter of order alone, so
re-packing joins what is idle in different slots. Blocks are apart or one inside the other, so there need be
as many slots as jobs on the fullest column, and re-packing always gets by with these. How re-packing chooses
slots, and all that the paper leaves to earlier ones, is our reading.
"""

from molokini.compiled.compilation import kernel
from molokini.matrix.blocks import (
    ALL,
    ROOT,
    above,
    block_of,
    empty_tree,
    give_block,
    lowest_idle_row,
    occupy_row,
)
from molokini.matrix.row_pass import find_away, keep_columns
from molokini.tables.tables import View


@kernel
def take_up_blocks(view: View) -> None:
    """Begin a pass: running jobs have the blocks that they had, and stand in no row yet."""
    empty_tree(view)
    find_away(view)
    keep_columns(view)
    for k in range(view.matrix.standing):
        row = view.matrix.ranked[k]
        _stand_nowhere(view, row)
        view.blocks.given[row] = block_of(view, row)


@kernel
def enter(view: View, row: int, v: int) -> None:
    """Job *row*, which stands nowhere, gets block *v*."""
    _stand_nowhere(view, row)
    view.matrix.to_home[row] = -1
    give_block(view, row, v)
    view.matrix.ranked[view.matrix.standing] = row
    view.matrix.standing += 1


@kernel
def _stand_nowhere(view: View, row: int) -> None:
    view.matrix.to_rows[row] = view.matrix.to_turns[row] = view.blocks.crowded[row] = 0
    for page in range(view.matrix.pages):
        view.matrix.to_beyond[row, page] = 0
    view.matrix.to_stall_s[row] = 0.0
    view.matrix.epoch[row] = view.cycle.room_epoch


@kernel
def repack(view: View) -> int:
    """Assign slots to all jobs again, and return how many there are: as many as jobs on the fullest column.

    From the largest blocks to the smallest, jobs of a block, by their starts, have the lowest slots that
    jobs of larger blocks around it have not.
    """
    for k in range(view.matrix.standing):
        row = view.matrix.ranked[k]
        v = view.blocks.given[row]
        r = above(view, v, ALL) + view.blocks.counted[v]
        view.blocks.counted[v] += 1
        view.matrix.to_home[row] = r
        occupy_row(view, row, r)
    return int(view.blocks.load[ROOT, ALL])


@kernel
def keep_slots(view: View) -> int:
    """Running jobs keep their slots, but for those dropped as they are empty; how many there are now."""
    for r in range(view.matrix.count):
        view.matrix.order[r] = 0
    for k in range(view.matrix.standing):
        view.matrix.order[view.matrix.to_home[view.matrix.ranked[k]]] = 1
    slots = 0
    for r in range(view.matrix.count):
        if view.matrix.order[r]:
            view.matrix.order[r] = slots
            slots += 1
    for k in range(view.matrix.standing):
        row = view.matrix.ranked[k]
        view.matrix.to_home[row] = view.matrix.order[view.matrix.to_home[row]]
        occupy_row(view, row, view.matrix.to_home[row])
    return slots


@kernel
def fill_blocks(view: View, slots: int) -> None:
    """Jobs stand in other slots besides in which their whole blocks are idle, a copy a round."""
    changed = True
    while changed:
        changed = False
        for k in range(view.matrix.standing):
            row = view.matrix.ranked[k]
            if view.blocks.crowded[row]:
                continue
            r = lowest_idle_row(view, view.blocks.given[row], slots)
            if r < 0:
                view.blocks.crowded[row] = 1
            else:
                occupy_row(view, row, r)
                changed = True


@kernel
def take_turns(view: View, slots: int) -> None:
    """So many slots take turns from now on."""
    for k in range(view.matrix.standing):
        view.matrix.to_turns[view.matrix.ranked[k]] = slots
