"""Suh, Rudolph and Devadas, JSSPP 2001: programs that share a memory in slices."""

from collections.abc import Sequence
from functools import partial

from molokini.metrics.curves import Curve, Panel
from molokini.studies.maps import Map
from molokini.studies.results import Results
from molokini.studies.shown import Picture, Table
from molokini.studies.study import Size, Study
from molokini.studies.suh2001_memory.memory_cases import (
    QUANTA,
    REFERENCES,
    SIZES_MB,
    Quanta,
    Schedules,
    cases,
    letters,
    prepare,
    run,
    schedules,
)
from molokini.studies.suh2001_memory.memory_claims import CLAIMS, PUBLISHED, balanced, gains

_CURVES = (("two programs with cliffs", Schedules()), ("one knee each", Schedules(cliffs=False)))


def _tables(results: Results) -> Sequence[Table]:
    rows = []
    for size in SIZES_MB:
        rates = {
            letters(one): results.mean(Schedules(), f"rate_{letters(one)}_{size}").mean for one in schedules()
        }
        order = sorted(rates, key=lambda name: rates[name])
        printed = PUBLISHED[size]
        ours = [results.mean(Schedules(), f"{name}_{size}").mean for name in ("average", "worst", "best")]
        over = results.mean(Schedules(), f"model_over_{size}").mean
        rows.append(
            [
                str(size),
                *(f"{value:.3f}" for value in printed[:3]),
                printed[3],
                printed[4],
                *(f"{100 * value:.3f}" for value in ours),
                order[-1],
                order[0],
                f"{over:.3f}",
            ]
        )
    names = ("average", "worst", "best", "worst schedule", "best schedule")
    columns = (
        "MB",
        *(f"{name}, paper" for name in names),
        *(f"{name}, ours" for name in names),
        "model over simulation",
    )
    return [Table("Miss rates (%) of ten schedules", "Table 2", columns, rows)]


def _pictures(results: Results) -> Sequence[Picture]:
    curves = []
    for name in ("simulated", "model"):
        found = [results.mean(Quanta(), f"{name}_{quantum}") for quantum in QUANTA]
        curves.append(
            Curve(name, [float(q) for q in QUANTA], [100 * one.mean for one in found], dashed=name == "model")
        )
    sizes = [float(size) for size in SIZES_MB]
    relative = []
    for name in ("best", "worst", "by_model", "by_heuristic"):
        ratio = [
            results.mean(Schedules(), f"{name}_{size}").mean
            / results.mean(Schedules(), f"average_{size}").mean
            for size in SIZES_MB
        ]
        relative.append(Curve(name.replace("_", " "), sizes, ratio))
    panels = [
        Panel("three programs take turns (figure 4)", "references of a quantum", "miss rate (%)", curves),
        Panel("schedules (figures 1 and 3)", "memory (MB)", "miss rate over the average", relative),
    ]
    return [Picture("memory", "Programs that share a memory", "Simulated by the LRU stack.", panels)]


STUDY = Study(
    name="suh2001-memory",
    title="Programs that share a memory: which of them should run together",
    paper="G. E. Suh, L. Rudolph, S. Devadas: Effects of Memory Performance on Parallel Job Scheduling, "
    "JSSPP 2001, LNCS 2221.",
    summary="Jobs that run at once on the processors of one machine share its memory. The paper describes a "
    "job by its miss rate over memory, estimates by a model what a schedule misses, and packs jobs into "
    "slices by it. Its traces of SPEC CPU2000 are not at hand: programs here are streams whose LRU stack "
    "distances follow curves with the footprints of Table 1, so that what depends on the curves can be met "
    "in shape only.",
    cases=cases,
    run=run,
    prepare=prepare,
    sources=["molokini.memory", "molokini.studies.suh2001_memory.memory_cases"],
    claims=CLAIMS,
    pictures=_pictures,
    maps=[
        Map(
            "S1",
            "curves",
            [
                (name, partial(gains, megabytes=16, average=0.3, worst=0.5, case=case))
                for name, case in _CURVES
            ],
        ),
        Map(
            "S2",
            "curves",
            [
                (name, partial(gains, megabytes=128, average=0.2, worst=0.4, case=case))
                for name, case in _CURVES
            ],
        ),
        Map("S3", "curves", [(name, partial(balanced, case=case)) for name, case in _CURVES]),
    ],
    tables=_tables,
    length=f"{REFERENCES:,} references of each program, half of which warm the memory up",
    in_short=[
        "The model finds good schedules, and by streams that are long enough it lies within some percent of "
        "the LRU memory, except where a memory just holds all that runs.",
        "How far schedules lie apart, and which is worst, depends on curves that the paper does not print: "
        "with ours they are not as in its Table 2.",
        "Packing by curves takes least time, admission by requests more, "
        "and packing that is blind to memory most.",
    ],
    readings=[
        "Footprints and memories are a sixteenth of the paper's. Curves are ours: one knee at a third of the "
        "footprint, and for gzip and vortex a cliff at 0.85 and 0.8 of it.",
        "A memory holds pages, caches are left out; every reference of a stream counts.",
        "What a program finds at the beginning of its quantum is ours: as much of what it had as the others "
        "leave room for.",
        "At 256 MB slices of 15,000 references take turns in one memory; else a slice has the memory for "
        "itself.",
        "The heuristic uses the convex hull of each curve; on the curve itself it does not see a cliff.",
        "In S10 and S11 jobs are random: footprints of 8 to 1,024 blocks in a memory of 1,024, four "
        "processors, twelve jobs, a miss costs as much as 50 references, and rates are those of the model. "
        "In S10 the memory is a quarter of that, and a miss four times as dear.",
        "S10 asks for one instance; its memory and the cost of a miss were chosen after a first look at "
        "short runs.",
    ],
    full=Size("full", 10, 1.0),
    quick=Size("quick", 3, 0.3),
)
