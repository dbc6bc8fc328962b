"""Ports: the types of the functions that the engine, or the server, gets from outside."""

from collections.abc import Callable
from typing import TypeAlias

from molokini.tables.tables import View

PolicyFunction: TypeAlias = Callable[[View, float], None]
"""``schedule`` or ``begin`` of a policy: reads the view at an instant (seconds of the scheduling clock),
calls verbs, returns nothing."""

FILE_MODULE = "molokini_policy_file_"
"""How the names of modules of policies from files begin: code of which it is not known when it returns."""

Progress: TypeAlias = Callable[[int, int], None]
"""Called now and then with the number of jobs that have arrived, and of how many."""
