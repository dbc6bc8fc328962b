"""The commands of PBS Pro and Torque."""

COMMANDS: dict[str, str] = {
    name: "holding" if name in ("qhold", "qrls") else "pbsnodes" if name == "qnodes" else name
    for name in (
        *("qsub", "qstat", "qdel", "qhold", "qrls", "qalter", "qrerun", "qsig", "qselect", "qmove", "qorder"),
        *("pbsnodes", "qnodes", "tracejob", "qmgr"),
    )
}
"""Name of each command, and the module that carries it out."""

REMARK = """\
`MOLOKINI_PBS_DIALECT` selects the dialect of the commands, `pro` (default) or `torque`: layouts, `-x`
of qstat (finished jobs, too, or XML), and how long a job that has ended is listed. A job's id ends with the
name of the cluster. What a job was asked for and no field of ours has is kept in its annotation
`molokini.pbs`, and `qstat -f` shows it again. Chunks of several processors that may share a node
(`select=2:ncpus=4` without `place=pack`) get a node each; all chunks have to be alike.

`qorder` is refused: jobs have no rank in a queue that could be exchanged. A plain policy orders them by its
rule alone (FCFS by submission, SJF by estimate), and what it promises rests on that; a pass of Maui orders
them by priorities that change with time, of which no two fixed numbers keep two jobs exchanged and all
others where they are.
"""
"""For the page of all options."""
