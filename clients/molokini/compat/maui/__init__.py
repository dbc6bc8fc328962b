"""Maui's commands."""

COMMANDS: dict[str, str] = {
    name: name
    for name in (
        "showq",
        "showbf",
        "showstart",
        "showres",
        "showstats",
        "showgrid",
        "checkjob",
        "checknode",
        "diagnose",
        "setres",
        "releaseres",
        "sethold",
        "releasehold",
        "runjob",
        "canceljob",
        "setspri",
        "setqos",
        "schedctl",
        "changeparam",
        "showconfig",
        "resetstats",
        "profiler",
    )
}
"""Name of each command, and the module that carries it out."""
