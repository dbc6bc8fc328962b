"""Ports: the shape of what an engine, the simulator's or the server's, is given from outside."""

from collections.abc import Callable
from typing import TypeAlias

from molokini.tables.tables import View

PolicyFunction: TypeAlias = Callable[[View, float], None]
"""``schedule`` or ``begin`` of a policy: reads the view at an instant (seconds of the scheduling clock),
calls verbs, returns nothing."""

FILE_MODULE = "molokini_policy_file_"
"""How the modules of policies from files begin. Theirs is the code of which nobody knows when it returns."""

Progress: TypeAlias = Callable[[int, int], None]
"""Told now and then how many jobs have arrived, of how many."""
