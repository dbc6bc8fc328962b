"""The fault rows by their numbers in the fault matrix, each a function that is given a cluster under load."""

from collections.abc import Awaitable, Callable, Mapping
from typing import TypeAlias

from tests.torture import agent_rows, client_rows, server_rows, state_rows
from tests.torture.rig import Rig

Row: TypeAlias = Callable[[Rig], Awaitable[None]]

ROWS: Mapping[str, Row] = {
    "F1": server_rows.f1,
    "F1-preempting": server_rows.preempting,
    "F1-postgres": state_rows.f1_postgres,
    "F2": server_rows.f2,
    "F2-postgres": state_rows.f2_postgres,
    "F3": server_rows.f3,
    "F3-postgres": state_rows.f3_postgres,
    "F4": server_rows.f4,
    "F5": server_rows.f5,
    "F6": server_rows.f6,
    "F8": agent_rows.f8,
    "F9": agent_rows.f9,
    "F13": agent_rows.f13,
    "F15": agent_rows.f15,
    "F16": agent_rows.f16,
    "F16-forgotten": agent_rows.f16_forgotten,
    "F17": agent_rows.f16_half,
    "F20": client_rows.f20,
    "F21": client_rows.f21,
    "F22": agent_rows.f22,
    "F23": state_rows.f23,
    "F27": state_rows.f27,
    "F28": state_rows.f28,
    "F29": state_rows.f29,
    "F30": state_rows.f30,
    "F32": state_rows.f32,
    "F39": agent_rows.f39,
    "F40": client_rows.f40,
    "F42": server_rows.f42,
}
