"""What ``molokini whatif`` takes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from molokini.clients.arguments.shared import JsonArguments, PlotFile
from molokini.model.declared import option


@dataclass(frozen=True, kw_only=True)
class WhatIfArguments(JsonArguments):
    """``molokini whatif``."""

    policy: Annotated[
        Sequence[str], option(metavar="NAME?key=value", help="Try this policy; may be repeated.")
    ] = ()
    maui_config: Annotated[
        Sequence[str],
        option(metavar="FILE", help="Try the policy maui with this maui.cfg (or .toml); may be repeated."),
    ] = ()
    drain: Annotated[
        str | None, option(metavar="NODES", help="Try it without these nodes (node[001-016]), for a time.")
    ] = None
    reserve: Annotated[
        str | None,
        option(
            metavar="N|NODES",
            help="Try it with N processors, or these nodes, reserved for a time for those of --access.",
        ),
    ] = None
    access: Annotated[
        Sequence[str],
        option(metavar="KIND:NAME", help="Who may use --reserve, as user:ann; may be repeated."),
    ] = ()
    nodes: Annotated[
        Sequence[str],
        option(metavar="N", help="Try it with so many nodes, fewer or more; may be repeated."),
    ] = ()
    from_when: Annotated[
        str | None,
        option(
            "--from",
            metavar="WHEN",
            help="When --drain or --reserve begins (Fri 18:00, +2:00:00); default: now.",
        ),
    ] = None
    for_time: Annotated[
        str | None, option("--for", metavar="TIME", help="How long it lasts; default: to the end.")
    ] = None
    hours: Annotated[
        float | None,
        option(
            metavar="H",
            help="How far to look ahead. Default: 24, or to a day after --drain and --reserve.",
        ),
    ] = None
    arrivals: Annotated[
        str,
        option(
            metavar="none|resampled|LOG",
            help="Jobs that arrive: none, those of like hours of the past, or those of a log.",
        ),
    ] = "none"
    seeds: Annotated[
        int | None,
        option(
            metavar="N",
            help="Draw run times (and arrivals) N times; 0: jobs take their estimates. Default: 0, or 10 "
            "with resampled arrivals.",
        ),
    ] = None
    state: Annotated[
        str | None,
        option(
            metavar="DIR|FILE",
            help="Go on from the folder of a stopped server, or from a file of --save.",
        ),
    ] = None
    save: Annotated[
        str | None, option(metavar="FILE", help="Keep the present state in FILE, for --state.")
    ] = None
    plot: PlotFile = None
