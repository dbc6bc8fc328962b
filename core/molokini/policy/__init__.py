"""All that a policy file needs: ``from molokini.policy import Policy, View, start``.

The names below are the face for authors of policies. They are imported when they are first used, from where
the engine has them, so that a policy costs what it costs without this page of names.
"""

from typing import TYPE_CHECKING

from molokini.model.lazy_face import lazy_face

if TYPE_CHECKING:
    from molokini.availability.profile import earliest as earliest
    from molokini.availability.profile import fits as fits
    from molokini.availability.profile import plan as plan
    from molokini.availability.profile import profile_of_running as profile_of_running
    from molokini.compiled.compilation import inner as inner
    from molokini.compiled.compilation import kernel as kernel
    from molokini.compiled.compilation import seldom as seldom
    from molokini.compiled.structs import RecordFloats as RecordFloats
    from molokini.compiled.structs import RecordInts as RecordInts
    from molokini.cycle.reasons import blocked as blocked
    from molokini.cycle.reasons import held_back as held_back
    from molokini.cycle.verbs import because as because
    from molokini.cycle.verbs import cancel as cancel
    from molokini.cycle.verbs import checkpoint as checkpoint
    from molokini.cycle.verbs import refuse as refuse
    from molokini.cycle.verbs import requeue as requeue
    from molokini.cycle.verbs import reserve as reserve
    from molokini.cycle.verbs import resume as resume
    from molokini.cycle.verbs import resume_shared as resume_shared
    from molokini.cycle.verbs import set_rows as set_rows
    from molokini.cycle.verbs import set_share as set_share
    from molokini.cycle.verbs import share_all as share_all
    from molokini.cycle.verbs import start as start
    from molokini.cycle.verbs import start_in_rows as start_in_rows
    from molokini.cycle.verbs import start_shared as start_shared
    from molokini.cycle.verbs import suspend as suspend
    from molokini.cycle.verbs import wake_at as wake_at
    from molokini.model.decisions import Refusal as Refusal
    from molokini.model.decisions import Rule as Rule
    from molokini.model.policy import Parameter as Parameter
    from molokini.model.policy import Policy as Policy
    from molokini.model.policy import Value as Value
    from molokini.model.states import JobState as JobState
    from molokini.shared.introspection import PolicyReport as PolicyReport
    from molokini.shared.queues import explain_blocked as explain_blocked
    from molokini.shared.queues import start_by_estimate as start_by_estimate
    from molokini.shared.queues import start_in_order as start_in_order
    from molokini.tables.running import remaining_s as remaining_s
    from molokini.tables.running import sort_running as sort_running
    from molokini.tables.tables import NEVER as NEVER
    from molokini.tables.tables import View as View
    from molokini.tables.workspace import Choice as Choice
    from molokini.tables.workspace import Numbers as Numbers
    from molokini.tables.workspace import Parameters as Parameters
    from molokini.tables.workspace import SomeFloats as SomeFloats
    from molokini.tables.workspace import SomeInts as SomeInts
    from molokini.tables.workspace import Workspace as Workspace
    from molokini.tables.workspace import parameter as parameter
    from molokini.tables.workspace import several as several

_NAMES = {
    "model.policy": ("Parameter", "Policy", "Value"),
    "model.decisions": ("Refusal", "Rule"),
    "model.states": ("JobState",),
    "tables.tables": ("NEVER", "View"),
    "tables.workspace": (
        *("Choice", "Numbers", "Parameters", "SomeFloats", "SomeInts", "Workspace"),
        *("parameter", "several"),
    ),
    "compiled.structs": ("RecordFloats", "RecordInts"),
    "compiled.compilation": ("inner", "kernel", "seldom"),
    "cycle.reasons": ("blocked", "held_back"),
    "cycle.verbs": (
        *("because", "cancel", "checkpoint", "refuse", "requeue", "reserve", "resume"),
        *("resume_shared", "set_rows"),
        *("set_share", "share_all", "start", "start_in_rows", "start_shared", "suspend", "wake_at"),
    ),
    "tables.running": ("remaining_s", "sort_running"),
    "availability.profile": ("earliest", "fits", "plan", "profile_of_running"),
    "shared.queues": ("explain_blocked", "start_by_estimate", "start_in_order"),
    "shared.introspection": ("PolicyReport",),
}
_WHERE = {name: module for module, names in _NAMES.items() for name in names}

__all__ = list(_WHERE)
__getattr__, __dir__ = lazy_face(__name__, _WHERE, inside="molokini")
