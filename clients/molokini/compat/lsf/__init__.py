"""LSF's commands."""

REMARK = """\
Nothing is mailed. What LSF would mail for want of `-o` is in `lsf-JOB.out` in the job's directory (of an
array `lsf-JOB.INDEX.out`). The node writes the report of a job behind its output when the job has ended, as
its user and before any listing says so, once for each attempt that ran; with `-N` and `-o` it writes none,
and the report of a job that any order has ended says `TERM_OWNER`. Swap and processes are not counted, and
stand there as `-`. Emulated nodes write no files, so no reports either.

`btop` and `bbot` are an operator's. Under Maui's policies they add to the job's priority what sets it
above, or below, its user's other waiting jobs in the queue, as `setspri -r` does. A plain policy reads
no priority, orders jobs by its rule alone (FCFS by submission, SJF by estimate) and rests its promises
on that, so there both are refused with the policy's name. The priority of `-sp` is kept and shown; no
policy that comes with Molokini reads it.
"""
"""For the page of all options."""

_TWINS = {"bstop": "suspending", "bresume": "suspending", "btop": "moving", "bbot": "moving"}
COMMANDS: dict[str, str] = {
    name: _TWINS.get(name, name)
    for name in (
        *("bsub", "bjobs", "bkill", "bstop", "bresume", "brequeue", "bmod", "bswitch", "btop", "bbot"),
        *("bpeek", "bhist", "bacct", "bqueues", "bhosts", "badmin", "lsid", "lshosts", "lsclusters"),
        *("bparams", "lsadmin"),
    )
}
"""Name of each command, and the module that carries it out."""
