"""Values of a scenario that do not go together, or that no table can hold, are refused."""

from collections.abc import Sequence
from fractions import Fraction

from molokini.model.errors import BadValue, Conflict
from molokini.process_sim.keys import MOST_NS
from molokini.process_sim.machines import check_machine_of
from molokini.process_sim.memory_files import check_memory_of
from molokini.process_sim.scenario import Job, Prices, Scenario, Settings, shown

_LEAST_NS = 1000
_DAY_NS = 24 * 3600 * 10**9
_MOST_COUNTED = 1 << 62
"""What the engine multiplies must stay below."""


def check_settings(file: str, settings: Settings, prices: Prices) -> None:
    """Refuse settings that do not go together, or with the costs. Raises BadValue or Conflict."""
    least = {"boost": settings.boost_ns, "row_quantum": settings.row_quantum_ns, "cycle": settings.cycle_ns}
    for name, value in least.items():
        if value < _LEAST_NS:
            raise BadValue(f"{file}: scheduling.{name}", f"{value}ns", "a duration of 1us or more")
    if settings.has_checks and settings.boost_ns <= prices.check:
        raise Conflict(
            f"{file}: scheduling.boost",
            f"a check every {shown(settings.boost_ns)} that takes {shown(prices.check)} (costs.check) leaves "
            "no time to compute; it must be longer",
        )
    if settings.scheme == "1gs":
        _check_rows(file, settings, prices)


def _check_rows(file: str, settings: Settings, prices: Prices) -> None:
    if not (settings.x and settings.y):
        ratio = f"{settings.x}:{settings.y}"
        raise Conflict(
            f"{file}: scheduling.ratio",
            f"{ratio} leaves a class without a row of 1gs; both parts must be above 0",
        )
    switch = prices.switch if settings.gang_switch else 0
    if settings.admission and settings.row_quantum_ns <= switch:
        raise Conflict(
            f"{file}: scheduling.row_quantum",
            f"{shown(settings.row_quantum_ns)} is not longer than a switch of {shown(switch)} "
            "(costs.switch), so that no real-time job could be admitted; it must be",
        )


def check_scenario(file: str, scenario: Scenario) -> None:
    """Refuse jobs that the machine, the scheme or the tables cannot take. Raises Conflict."""
    if scenario.settings.scheme == "1gs":
        _check_columns(file, scenario)
    _check_messages(file, scenario.jobs, scenario.prices)
    check_machine_of(file, scenario)
    check_memory_of(file, scenario.jobs, scenario.memory)


def _check_columns(file: str, scenario: Scenario) -> None:
    most = max(scenario.cpus_of, default=scenario.cpus_a_node)
    if most > 1:
        raise Conflict(
            f"{file}: cpus_per_node",
            f"{most} is more than 1gs can use, whose columns are nodes; set it to 1",
        )
    for job in scenario.jobs:
        size = len(job.processes)
        given = {process.node for process in job.processes if process.node is not None}
        if size > scenario.nodes or 0 < len(given) < size:
            raise Conflict(
                f"{file}: {job.name}",
                f"{size} processes on {len(given) or scenario.nodes} nodes; under 1gs each process of a job "
                "needs a node of its own",
            )


def _check_messages(file: str, jobs: Sequence[Job], prices: Prices) -> None:
    """Times of messages are products of whole numbers."""
    programs = {id(process.program): process.program for job in jobs for process in job.processes}
    largest = max((step.size for program in programs.values() for step in program), default=0)
    for key, rate in (("bytes_per_second", prices.wire), ("send_ns_per_byte", prices.byte)):
        if largest * rate > MOST_NS or largest * rate.numerator >= _MOST_COUNTED:
            raise Conflict(
                f"{file}: costs.{key}",
                f"a message of {largest:,} bytes takes longer than can be counted; send less of it at once",
            )


def check_period(field: str, period_ns: Fraction) -> None:
    """Refuse a period of more than a day. Raises Conflict."""
    if period_ns > _DAY_NS:
        raise Conflict(
            field,
            f"a period of {float(period_ns) / 1e9:,.0f} s is more than a day; take fewer frames, "
            "or more of them a second",
        )


def check_frames(field: str, frames: int, zeta_ns: int) -> None:
    """Refuse stages that compute for more than a day on the frames of one period. Raises Conflict.

    A zeta above the time of a frame is none of it: such a pipeline is overloaded, and misses frames.
    """
    if frames * zeta_ns > _DAY_NS:
        raise Conflict(
            field,
            f"{shown(zeta_ns)} for each of {frames:,} frames a period is more than a day; "
            "take fewer frames, or a shorter zeta",
        )
