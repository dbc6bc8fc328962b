"""The commands of PBS Pro and Torque."""

COMMANDS: dict[str, str] = {
    "qsub": "qsub",
    "qstat": "qstat",
    "qdel": "qdel",
    "qhold": "qhold",
    "qrls": "qrls",
    "qalter": "qalter",
    "qrerun": "qrerun",
    "qsig": "qsig",
    "qselect": "qselect",
    "qmove": "qmove",
    "qorder": "qorder",
    "pbsnodes": "pbsnodes",
    "tracejob": "tracejob",
    "qmgr": "qmgr",
}
"""Name of each command, and the module that carries it out."""

REMARK = """\
`MOLOKINI_PBS_DIALECT` says whose manners the commands have, `pro` (unless set) or `torque`: layouts, `-x` of
qstat (finished jobs, too, or XML), and how long a job that has ended is listed. A job's id ends with the name
of the cluster. What a job was asked for and no field of ours has is kept in its variable `MOLOKINI_PBS`, and
`qstat -f` shows it again. Chunks of several processors that may share a node (`select=2:ncpus=4` without
`place=pack`) get a node each; all chunks have to be alike.
"""
"""For the page of all options."""
