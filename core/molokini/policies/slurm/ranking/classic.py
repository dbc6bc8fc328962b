"""The classic fair share (NO_FAIR_TREE) and DEPTH_OBLIVIOUS: reference, section 1.4."""

from math import log

from molokini.compiled.compilation import kernel, seldom
from molokini.policies.slurm.configuration.line_layout import Count, Line
from molokini.policies.slurm.configuration.parameters import parameters
from molokini.policies.slurm.counting.counting import line_at, parent_of
from molokini.tables.tables import View

_EFFECTIVE, _NORMAL, _SHARES = int(Count.LEVEL), int(Count.NORMAL), int(Count.USERS)


@kernel
def classic(view: View) -> None:
    """Give each row its factor; rows above come first in the table."""
    seldom()
    count = int(parameters(view).association_count)
    for k in range(count):
        for column in range(Count.LEVEL, Count.PLANS):
            view.site.tallies[line_at(view, k) + column] = 0.0
    for k in range(count):
        at = line_at(view, k)
        above = parent_of(view, at)
        if above >= 0:
            view.site.tallies[above + _SHARES] += max(0.0, view.parameters[at + Line.SHARES])
    for k in range(count):
        at = line_at(view, k)
        _share(view, at, parent_of(view, at))
    for k in range(count):
        at = line_at(view, k)
        above = parent_of(view, at)
        if parameters(view).depth_oblivious:
            _oblivious(view, at, above)
        normal = view.site.tallies[at + _NORMAL]
        power = (
            view.site.tallies[at + _EFFECTIVE] / normal / parameters(view).fair_share_dampening
            if normal > 0.0
            else 0.0
        )
        view.site.tallies[at + Count.FACTOR] = 2.0**-power if normal > 0.0 else 0.0


@kernel
def _used(view: View, at: int) -> float:
    """Usage as a part of that of the root, at most 1."""
    total = view.site.tallies[line_at(view, 0) + Count.USAGE_S]
    return min(1.0, view.site.tallies[at + Count.USAGE_S] / total) if total > 0.0 else 0.0


@kernel
def _share(view: View, at: int, above: int) -> None:
    """Normalized shares and effective usage of a row whose parent has them."""
    if above < 0:
        view.site.tallies[at + _NORMAL], view.site.tallies[at + _EFFECTIVE] = 1.0, _used(view, at)
        return
    own, level = view.parameters[at + Line.SHARES], view.site.tallies[above + _SHARES]
    if own < 0.0:
        view.site.tallies[at + _NORMAL] = view.site.tallies[above + _NORMAL]
        view.site.tallies[at + _EFFECTIVE] = view.site.tallies[above + _EFFECTIVE]
        return
    part = own / level if level > 0.0 else 0.0
    view.site.tallies[at + _NORMAL] = view.site.tallies[above + _NORMAL] * part
    used = _used(view, at)
    if parent_of(view, above) < 0:
        view.site.tallies[at + _EFFECTIVE] = used
    elif level == 0.0:
        view.site.tallies[at + _EFFECTIVE] = view.site.tallies[above + _EFFECTIVE]
    else:
        view.site.tallies[at + _EFFECTIVE] = used + (view.site.tallies[above + _EFFECTIVE] - used) * part


@kernel
def _oblivious(view: View, at: int, above: int) -> None:
    """DEPTH_OBLIVIOUS: the effective usage by ratios of usage to shares, of the parent and among siblings."""
    if above < 0 or view.parameters[at + Line.SHARES] < 0.0:
        return
    normal, above_normal = view.site.tallies[at + _NORMAL], view.site.tallies[above + _NORMAL]
    used, siblings = _used(view, at), 0.0
    for k in range(parameters(view).association_count):
        other = line_at(view, k)
        if parent_of(view, other) == above and view.parameters[other + Line.SHARES] >= 0.0:
            siblings += _used(view, other)
    if normal <= 0.0 or above_normal <= 0.0 or used <= 0.0 or siblings <= 0.0:
        view.site.tallies[at + _EFFECTIVE] = used
        return
    of_parent = view.site.tallies[above + _EFFECTIVE] / above_normal
    own = used / normal / (siblings / above_normal)
    k_ = 1.0
    if of_parent > 0.0 and own > 0.0 and log(of_parent) * log(own) < 0.0:
        k_ = 1.0 / (1.0 + (5.0 * log(of_parent)) ** 2)
    view.site.tallies[at + _EFFECTIVE] = of_parent * own**k_ * normal
