"""Columns of credentials, of their limits, and of what they have used."""

from molokini.compiled.structs import Floats, FloatTable, Ints, IntTable
from molokini.tables.declared import Axis, Declared, Nature, per
from molokini.tables.sizes import LIMIT_KINDS, NEVER, SCOPE_LIMITS, SCOPES, USAGE_WINDOWS


class Credentials(Declared):
    """Credentials: every combination of user, group, queue, ... that a job had, once."""

    user: Ints = per(Axis.CREDENTIAL)
    group: Ints = per(Axis.CREDENTIAL)
    queue: Ints = per(Axis.CREDENTIAL)
    queue_priority: Ints = per(Axis.CREDENTIAL)
    """The priority that an administrator gave the queue; higher goes first, where a policy reads it."""
    account: Ints = per(Axis.CREDENTIAL)
    payer: Ints = per(Axis.CREDENTIAL)
    """The row of its account in the bank; 0: it has none."""
    qos: Ints = per(Axis.CREDENTIAL)
    """The QoS that the job asked for; -1: none."""
    chosen_queue: Ints = per(Axis.JOB)
    """Of a job that names several queues: the number of the one in which it runs, plus 1; 0: of others."""
    opened: Ints = per(Axis.MEMBER, nature=Nature.WORK)
    """``cycle.room_epoch`` in which ``credentials.open`` was found."""
    open: Ints = per(Axis.MEMBER, nature=Nature.WORK)
    """Bits of the reservations that its jobs may use."""
    scope: IntTable = per(Axis.MEMBER, SCOPES, nature=Nature.WORK)
    rule: Ints = per(Axis.MEMBER, nature=Nature.WORK)
    """Whether its jobs share nodes, one of ``node_rules.NodeRule``: SHARED or SINGLE_JOB."""
    bits: Ints = per(Axis.MEMBER, nature=Nature.WORK)
    """Bits of the features that the nodes of its jobs must have."""
    flags: Ints = per(Axis.MEMBER, nature=Nature.WORK)
    """Bits of what its jobs may do or must."""
    per_node: Ints = per(Axis.MEMBER, nature=Nature.WORK)
    """The most processors of one of its jobs on one node; 0: any number."""
    barred: Ints = per(Axis.MEMBER, nature=Nature.WORK)
    """Bits of the partitions in which its jobs may not be."""
    first: Ints = per(Axis.MEMBER, nature=Nature.WORK)
    """The partition that its jobs try first; -1: none."""
    most: Ints = per(Axis.MEMBER, nature=Nature.WORK)
    """The most processors in service in one partition that its jobs may use."""
    widest: Ints = per(Axis.MEMBER, nature=Nature.WORK)
    """The widest of its plain jobs that one of those partitions, empty, is known to take."""
    weighed: Ints = per(Axis.MEMBER, nature=Nature.WORK)
    """``cycle.room_epoch`` in which ``credentials.base`` was found."""
    past: Floats = per(Axis.MEMBER, nature=Nature.WORK)
    """Effective usage of the windows before the present one."""
    base: Floats = per(Axis.MEMBER, nature=Nature.WORK)
    """The part of priorities that all jobs of the credential have in common, in this pass."""


class Scopes(Declared):
    """Scopes: each user, group, account, queue and QoS, and each pair that has limits of its own.

    Policies that need them determine them again from the credentials and their parameters.
    """

    row: Ints = per(Axis.SCOPE, nature=Nature.WORK)
    """Where its settings begin in ``parameters``; -1: it has none."""
    key: IntTable = per(Axis.SCOPE, 4, nature=Nature.WORK)
    """The key by which it is found: types and numbers."""
    found: Ints = per(Axis.SCOPE, nature=Nature.WORK, times=2)
    """A hash table over ``scopes.key``, from 1; 0: empty."""
    limit: FloatTable = per(Axis.SCOPE, SCOPE_LIMITS, nature=Nature.WORK)
    """Soft limits, then hard ones, by kind; 0: none."""
    limited: Ints = per(Axis.SCOPE, nature=Nature.WORK)
    """Whether it has limits at all: 1 active, 2 idle, 4 and 8 in place of those of other scopes; from 16 on a
    bit for each kind of which it has a limit of active jobs."""
    active: FloatTable = per(Axis.SCOPE, LIMIT_KINDS, nature=Nature.PASS)
    """By kind, what active jobs take of the limits, those started in this pass included."""
    idle: FloatTable = per(Axis.SCOPE, LIMIT_KINDS, nature=Nature.PASS)
    """By kind, what eligible jobs take of the limits."""
    usage: Floats = per(Axis.SCOPE, nature=Nature.PASS)
    """Effective usage in this pass."""


class Usage(Declared):
    """What active jobs of each credential were charged, by windows of time, the latest first.

    A row is settled when its rate changes; ``usage.usage_at`` says what it would be at a later instant.
    """

    charging: int
    """What an active job is charged a second, one of ``molokini.tables.usage``; 0: nothing."""
    interval_s: float
    """Length of a window of ``usage.windows``; windows begin at whole multiples of it."""
    windows: FloatTable = per(Axis.MEMBER, USAGE_WINDOWS)
    rate: Floats = per(Axis.MEMBER)
    """Units a second now."""
    settled_s: Floats = per(Axis.MEMBER, blank=-NEVER)
