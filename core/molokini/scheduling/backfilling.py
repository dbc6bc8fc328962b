"""What backfilling policies share: a job behind the head starts if it spares the head's shadow time."""

from molokini.model.decisions import Rule
from molokini.scheduling.compilation import kernel
from molokini.scheduling.queues import remaining_s
from molokini.scheduling.shadow import spares_head
from molokini.scheduling.tables import View
from molokini.scheduling.verbs import because, start

_NOT_ENOUGH_FREE = int(Rule.NOT_ENOUGH_FREE)
_WOULD_DELAY = int(Rule.WOULD_DELAY_THE_HEAD)


@kernel
def try_behind(view: View, row: int, head: int, now: float, shadow_s: float, extra: int) -> int:
    """Start *row* if it spares the head; how many of the extra processors it uses up."""
    width = view.job_width[row]
    if width > view.idle:
        because(view, row, _NOT_ENOUGH_FREE, view.idle, width, head)
        return 0
    used = 0
    if now + remaining_s(view, row) > shadow_s:
        if view.wishing == 0:
            spares, used = width <= extra, width
        else:
            spares = spares_head(view, row, head)
        if not spares:
            because(view, row, _WOULD_DELAY, shadow_s, now + remaining_s(view, row), head)
            return 0
    start(view, row)
    return int(used)
