"""Backfill windows: so many processors for so long (paper, section 4.2; reference, section 3.1).

Where processors are interchangeable, a window is a step of the profile's running minimum: the processors
that stay free from now on, up to the instant at which fewer are free. The widest window is the shortest, and
windows overlap.
"""

from molokini.compiled.compilation import kernel
from molokini.tables.tables import NEVER, View


@kernel
def window_beyond(view: View, after_s: float) -> tuple[int, float]:
    """(processors, end) of the widest window that lasts longer than up to *after_s*; 0 processors: none."""
    k, last = view.profile.first, view.profile.last
    width = view.machine.idle
    while k < last and (view.profile.time_s[k] <= after_s or k == view.profile.first):
        width = min(width, view.profile.free[k])
        k += 1
    while k < last and view.profile.free[k] >= width:
        k += 1
    return int(width), float(view.profile.time_s[k]) if k < last else NEVER


@kernel
def window_wider(view: View, than: int) -> tuple[int, float]:
    """(processors, end) of the longest window of more than so many processors; 0 processors: none."""
    width, last = view.machine.idle, view.profile.last
    for k in range(view.profile.first, last):
        if view.profile.free[k] <= than:
            return (int(width) if width > than else 0), float(view.profile.time_s[k])
        width = min(width, view.profile.free[k])
    return (int(width) if width > than else 0), NEVER
