"""A pass of gang scheduling that starts no job: a change of candidate waits until rows are empty."""

from molokini.matrix.row_pass import adopt, settle, take_up
from molokini.matrix.steps import clean, compact, fill
from molokini.tables.tables import View


def drain_rows(view: View, now: float) -> None:
    """Jobs that stand in the matrix go on, in more rows where others have gone; none joins them."""
    take_up(view)
    clean(view)
    adopt(view)
    compact(view, now, False)
    fill(view)
    settle(view)
