"""Backfill windows: so many processors for so long (paper, section 4.2; reference, section 3.1).

Where processors are interchangeable, a window is a step of the profile's running minimum: as many
processors as stay free from now until fewer do. The widest is the shortest, and they overlap.
"""

from molokini.compiled.compilation import kernel
from molokini.room.profile import FIRST, LAST
from molokini.tables.tables import NEVER, View


@kernel
def window_beyond(view: View, after_s: float) -> tuple[int, float]:
    """(processors, end) of the widest window that lasts longer than up to *after_s*; 0 processors: none."""
    k, last = view.global_i[FIRST], view.global_i[LAST]
    width = view.idle
    while k < last and (view.profile_time_s[k] <= after_s or k == view.global_i[FIRST]):
        width = min(width, view.profile_free[k])
        k += 1
    while k < last and view.profile_free[k] >= width:
        k += 1
    return int(width), float(view.profile_time_s[k]) if k < last else NEVER


@kernel
def window_wider(view: View, than: int) -> tuple[int, float]:
    """(processors, end) of the longest window of more than so many processors; 0 processors: none."""
    width, last = view.idle, view.global_i[LAST]
    for k in range(view.global_i[FIRST], last):
        if view.profile_free[k] <= than:
            return (int(width) if width > than else 0), float(view.profile_time_s[k])
        width = min(width, view.profile_free[k])
    return (int(width) if width > than else 0), NEVER
