"""What the shell said, as values: one class a command, with the names of the command's parameters.

Standard library only, because ``molokini --help`` imports it.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class ReplayArguments:
    """What ``simulate`` and ``compare`` have in common."""

    procs: int | None = None
    nodes: int | None = None
    procs_per_node: int | None = None
    placement: str | None = None
    set: Sequence[str] = ()
    """``name=value`` of policy parameters."""
    policy_dir: Sequence[str] = ()
    overrun: str = "kill"
    ties: str = "batch"
    jobs: int | None = None
    strict: bool = False
    tau: float = 10.0
    batch_size: int | None = None
    seed: int = 0
    json: str | None = None
    """A file, or ``-`` for standard output."""
    plot: str | None = None


@dataclass(frozen=True, kw_only=True)
class SimulateArguments(ReplayArguments):
    """``molokini simulate``."""

    log: str
    policy: str
    load_factor: float = 1.0
    schedule: str | None = None
    by: str | None = None
    """Names of breakdowns, separated by commas."""


@dataclass(frozen=True, kw_only=True)
class CompareArguments(ReplayArguments):
    """``molokini compare``."""

    logs: Sequence[str]
    policy: Sequence[str]
    load_factor: str = "1"
    """Numbers separated by commas, or first:last:step."""
    seeds: int = 0
    """How many resampled workloads beside none: 0 replays the log as it is."""
    workers: int | None = None


@dataclass(frozen=True, kw_only=True)
class PoliciesArguments:
    """``molokini policies``."""

    name: str | None = None
    policy_dir: Sequence[str] = ()
    json: str | None = None


@dataclass(frozen=True, kw_only=True)
class InfoArguments:
    """``molokini workload info``."""

    log: str
    strict: bool = False
    jobs: int | None = None
    sita: int | None = None
    seed: int = 0
    json: str | None = None
    plot: str | None = None


@dataclass(frozen=True, kw_only=True)
class ConvertArguments:
    """``molokini workload convert``."""

    source: str
    target: str
    from_s: float | None = None
    until_s: float | None = None
    users: str | None = None
    least: int | None = None
    most: int | None = None
    jobs: int | None = None
    load_factor: float = 1.0
    strict: bool = False
    seed: int = 0
