"""LSF's commands."""

COMMANDS: dict[str, str] = {
    name: name
    for name in (
        *("bsub", "bjobs", "bkill", "bstop", "bresume", "brequeue", "bmod", "bswitch", "btop", "bbot"),
        *("bpeek", "bhist", "bacct", "bqueues", "bhosts", "badmin", "lsid", "lshosts", "lsclusters"),
    )
}
"""Name of each command, and the module that carries it out."""
