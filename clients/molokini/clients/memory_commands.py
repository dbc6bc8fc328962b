"""``molokini memory``: miss-rate curves, and which jobs share a slice."""

from collections.abc import Sequence
from typing import Any

from molokini.clients.arguments.memory import CurvesArguments, PackArguments
from molokini.clients.output import STANDARD_OUTPUT, check_outputs, check_picture, write_json
from molokini.memory.curves import MOST_BLOCKS, Curve
from molokini.memory.files import curve_of, read_jobs
from molokini.memory.packing import (
    MOST_TRIED,
    MemoryJob,
    Slices,
    admitted,
    exhaustive,
    modelled,
    packed,
)
from molokini.model.errors import BadInput, BadValue

CURVES_SCHEMA = "molokini.memory-curves/1"
PACK_SCHEMA = "molokini.memory-pack/1"


def curves(arguments: CurvesArguments) -> dict[str, Any]:
    """Write and print the curves; returns what the JSON holds."""
    check_picture("--plot", arguments.plot)
    if not arguments.sources:
        raise BadInput("name a trace, or synthetic; see --help")
    check_outputs({"--json": arguments.json, "--plot": arguments.plot}, arguments.sources)
    found: dict[str, Curve] = {}
    for source in arguments.sources:
        found |= curve_of(source, arguments.block)
    sizes = _sizes(arguments.sizes, list(found.values()))
    document = {
        "schema": CURVES_SCHEMA,
        "block_bytes": arguments.block,
        "curves": [
            {
                "name": name,
                "footprint": curve.footprint,
                "rates": [{"blocks": size, "miss_rate": curve.rate(size)} for size in sizes],
            }
            for name, curve in found.items()
        ],
    }
    if arguments.plot is not None:
        from molokini.plots.files import save
        from molokini.plots.miss_rates import miss_rate_picture

        save(miss_rate_picture(found), arguments.plot)
    write_json(document, arguments.json)
    if arguments.json != STANDARD_OUTPUT:
        from molokini.clients.show.memory_tables import show_curves

        show_curves(document)
    return document


def _sizes(text: str | None, found: Sequence[Curve]) -> list[int]:
    if text is None:
        largest = max(curve.blocks for curve in found)
        sizes = [1 << power for power in range(largest.bit_length())]
        return [*sizes[-12:], largest]
    allowed = f"rising whole numbers from 0 to {MOST_BLOCKS:,}, separated by commas"
    try:
        sizes = [int(part) for part in text.split(",")]
    except ValueError:
        raise BadValue("--sizes", text, allowed) from None
    if any(not 0 <= size <= MOST_BLOCKS for size in sizes) or sizes != sorted(set(sizes)):
        raise BadValue("--sizes", text, allowed)
    return sizes


def pack(arguments: PackArguments) -> dict[str, Any]:
    """Write and print who shares a slice, by the heuristic, by the model, by requests."""
    check_outputs({"--json": arguments.json}, [arguments.jobs])
    jobs, said = read_jobs(arguments.jobs)
    blocks = arguments.blocks if arguments.blocks is not None else said.get("blocks")
    if blocks is None:
        raise BadInput(f"{arguments.jobs}: says no blocks; give --blocks N")
    if not 1 <= blocks <= MOST_BLOCKS:
        raise BadValue("--blocks", blocks, f"a whole number from 1 to {MOST_BLOCKS:,}")
    if arguments.processors < 1:
        raise BadValue("--processors", arguments.processors, "a whole number of 1 or more")
    latency = float(said.get("latency", 0.0) if arguments.latency is None else arguments.latency)
    if not 0 <= latency < 1e12:
        raise BadValue("--latency", latency, "a number of 0 or more")
    if arguments.quantum is not None and not 0 < arguments.quantum < 1e15:
        raise BadValue("--quantum", arguments.quantum, "a number of references above 0")
    heuristic = packed(jobs, blocks, arguments.processors, arguments.slices, latency, arguments.hull)
    slices = len(heuristic.slices)
    tried = (
        exhaustive(jobs, slices, arguments.processors, blocks, arguments.quantum)
        if len(jobs) <= MOST_TRIED
        else []
    )
    rates = [rate for rate, _ in tried]
    inside, waiting = admitted(jobs, blocks, arguments.processors, slices)
    document = {
        "schema": PACK_SCHEMA,
        "blocks": blocks,
        "processors": arguments.processors,
        "slices": slices,
        "jobs": [
            {
                "name": job.name,
                "processors": job.processors,
                "footprint": job.curve.footprint,
                "relative_footprint": size,
            }
            for job, size in zip(jobs, heuristic.footprints, strict=True)
        ],
        "heuristic": {
            "slices": _named(jobs, heuristic.slices),
            "miss_rate": modelled(jobs, heuristic.slices, blocks, arguments.quantum),
            "idle_as_printed": heuristic.idle.as_printed,
            "idle_per_processor": heuristic.idle.per_processor,
        },
        "tried": [{"slices": _named(jobs, one), "miss_rate": rate} for rate, one in tried],
        "average_miss_rate": sum(rates) / len(rates) if rates else None,
        "by_requests": {
            "slices": _named(jobs, inside),
            "waiting": [jobs[k].name for k in waiting],
        },
    }
    write_json(document, arguments.json)
    if arguments.json != STANDARD_OUTPUT:
        from molokini.clients.show.memory_tables import show_packing

        show_packing(document)
    return document


def _named(jobs: Sequence[MemoryJob], slices: Slices) -> list[list[str]]:
    return [[jobs[k].name for k in one] for one in slices]
