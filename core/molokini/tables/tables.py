"""The tables: struct-of-arrays, the only mutable truth of a scheduler.

One row a job that is waiting, running or suspended; a row is reused after its job is gone. The
engine and the server change tables through the transitions alone; policies read them as a view.
Times are seconds of the scheduling clock, work is seconds at rate 1. Long because what every column means is
looked up in one place.
"""

from typing import TypeAlias

import numpy as np

from molokini.compiled.structs import Floats, FloatTable, Ints, IntTable, RecordFloats, RecordInts, Struct

MEMORY_COLUMNS = 4
"""Columns of a policy's memory a job row."""
GLOBAL_WORDS = 64
"""Length of a policy's global line of memory."""
SCOPES = 12
"""Columns of ``credential_scope``: user, group, account, queue, QoS, then pairs of them that have limits."""
SCOPE_LIMITS = 14
"""Columns of ``scope_limit``."""
LIMIT_KINDS = 7
"""Columns of ``scope_active`` and ``scope_idle``."""
USAGE_WINDOWS = 32
"""Columns of ``usage``."""
PROFILE_FIRST, PROFILE_LAST = GLOBAL_WORDS - 2, GLOBAL_WORDS - 1
"""Where the global line keeps the window of the availability profile."""
MOST_HELD = 12
"""So many reservations of a policy's can hold nodes."""
MOST_PARTITIONS = 48
"""Partitions of nodes: a bit each, in a number that a float holds."""
MOST_STEPS, MOST_STRETCHES = 4096, 64
"""Steps of what reservations keep that are remembered, and stretches of time that they are of."""
MOST_LISTS, LISTS_OF_ALL = 64, 16
"""Lists of nodes that reservations keep that are remembered, and how many of them may have every node."""
MOST_LEASTS, LEAST_STEPS = 8, 64
"""Sets of reservations for which the least room is remembered, and so many steps of it."""
FEW_KEYS = 8
"""With no more keys than that nodes are counted by key, and not compared with each other."""
MOST_CLASSES = 64
"""Classes of nodes that are counted: with more of them they are no shorter than the nodes themselves."""
DECISION_COLUMNS = 4
"""kind, row, argument, first allocation entry."""
NEVER = np.inf
"""The instant that does not come."""


class Tables(Struct):
    """All that a pass may look at; *view* to a policy, which must not write to it but by verbs.

    Lists are the first so many elements of their array: ``waiting[waiting_head:waiting_tail]`` in
    queue order, ``running[:running_count]`` by expected end once ``sort_running`` was called,
    ``suspended[:suspended_count]``.
    """

    # The machine. With nodes == 0 its processors are interchangeable and only counted.
    processors: int
    """Processors in service."""
    processors_in_all: int
    """Processors of the machine with every node up; a wider job is refused."""
    free: int
    idle: int
    """Processors still free in this pass, after the decisions so far."""
    memory_in_all_kb: float
    swap_in_all_kb: float
    disk_in_all_kb: float
    """Of all nodes, up or not; 0 where processors are only counted."""
    nodes: int
    molding: int
    """While a job is placed whose width this pass has decided: that width, else 0."""
    all_up: int
    """1 while placement asks what the machine could hold if no node were down."""
    placement: int
    """How tasks are put on nodes, one of ``molokini.room.placement``."""
    node_choice: int
    """How this pass puts them there, plus 1, where the policy has a say; 0: as ``placement`` says."""
    node_rules: int
    """1: this pass has rules about whose tasks may go to which node (``room.node_rules``)."""
    node_mask: int
    """While a set of nodes is tried: the bit of that set; else 0."""
    set_policy: int
    """How a job's nodes are chosen out of sets, one of ``node_rules.SetPolicy``."""
    set_order: int
    """Which of several sets is taken, one of ``node_rules.SetOrder``."""
    set_count: int
    set_insisted: int
    """1: a job rather waits than runs outside a set."""
    rounds: int
    """1: while a job is placed, ``node_round`` says which nodes it tries first; else 0."""
    placed_holder: int
    """Whose job is being placed where there are rules: its user, plus 1."""
    placed_rule: int
    """The rule that the job itself brings along."""
    placed_most: int
    """So many processors it may have on one node at most; 0: any number."""
    placed_features: int
    """Bits that its nodes must have of ``node_bits``."""
    partitions: int
    """So many partitions have nodes, where this pass has partitions, which no job spans."""
    partition_now: int
    """While a job is placed: the partition that is tried, from 1; 0: any node will do."""
    partitions_counted: int
    """``start_epoch`` for which their free processors were counted."""
    partitions_awaited: int
    """Bits of partitions of which nodes are known by name that have not come yet."""
    clusters: int
    """Groups of nodes, numbered from 0; 0 on a machine of counted processors."""
    cluster_fit: int
    """Which cluster a component gets, one of ``molokini.room.clusters``."""
    cluster_filling: int
    """1: tasks that spread fill clusters one by one. 0: they balance what stays idle."""
    wishing: int
    """Jobs in the tables that wish for nodes, memory or features, so that counting is not enough."""
    overrun: int
    """0: a job is killed at its estimate. 1: it may run on."""

    # Lists and their ends.
    waiting_head: int
    waiting_tail: int
    latest_submit_s: float
    """No job in ``waiting`` was submitted after this."""
    leaving: int
    """Jobs in ``waiting`` that no longer wait; taken out after the decisions of a pass."""
    arrived: int
    """Jobs that joined the queue since the last pass."""
    running_count: int
    running_sorted: int
    """So many of ``running`` are sorted; ``sort_running`` sorts the rest."""
    suspended_count: int
    free_rows: int
    planning: int
    """1: the policy plans ahead (it has a ``begin``), so its memory and the holes in its plan are kept."""
    decided: int
    """Decisions in the buffer."""
    hole_count: int
    """Intervals that were planned as busy and became free since the last pass."""
    replan: int
    """1 when something happened that a policy's own plan cannot follow: ``begin`` runs again."""
    wake_s: float
    """The instant at which the policy wants a pass although nothing happens."""
    pass_s: float
    """The instant of this pass, where there are reservations."""
    reservations: int
    """Administrative reservations that have not ended."""
    hosted: int
    """So many elements of ``host_reservation``: where reservations are on particular nodes."""
    access_by_job: int
    """1: who has access depends on the job's length, not on its credentials alone."""
    counted_epoch: int
    """``start_epoch`` in which the use of reservations was counted last (``reserved.count_use``)."""
    counted_s: float
    """The instant that it was counted for."""
    hosted_now: int
    """Bits of the reservations on nodes that are there at that instant; -1: there are too many for bits."""
    listed_epoch: int
    """``start_epoch`` in which the nodes that reservations keep were listed last."""
    lists: int
    listed: int
    """Elements of ``listed_node`` that are in use."""
    profile_epoch: int
    """Changes with every change of the profile of processors (``room.profile``)."""
    least_start_epoch: int
    """``start_epoch`` in which ``least_free`` was found (``room.least_room``)."""
    least_profile_epoch: int
    """The same of ``profile_epoch``."""
    least_at_s: float
    """The instant from which on it holds."""
    leasts: int
    later_epoch: int
    """``start_epoch`` in which ``node_later`` was found."""
    later_s: float
    barred: int
    """Elements of ``node_barred_list`` that are in use."""
    preferred: int
    """Elements of ``node_round_list`` that are in use."""
    affinities: int
    """1: some are admitted to a reservation that do not want it before all else."""
    roll_s: float
    """When standing reservations are rolled next; NEVER without any."""
    shapes: int
    """How many shapes there are."""
    class_room_epoch: int
    """``room_epoch`` in which nodes were put into classes, or wishes looked for, last."""
    class_start_epoch: int
    """The same of ``start_epoch``."""
    class_scans: int
    """Wishes for which all nodes were looked at in vain since."""
    class_count: int
    """Classes of nodes that are alike; 0: not counted yet; -1: too many."""
    kept_epoch: int
    """``start_epoch`` in which what reservations keep was counted last."""
    kept_stretches: int
    kept_steps: int
    room_epoch: int
    """Changes when room may have grown: with every pass, and when a pass suspends a job."""
    start_epoch: int
    """Changes with every pass, every start in it, and every head that is to be spared."""
    spoil_head: int
    """The head of which ``shape_spoils`` speaks."""
    complaint: int
    """What the policy did wrong, one of ``verbs.COMPLAINTS``; 0: nothing."""
    complaint_row: int
    complaint_idle: int
    explain: int
    """1: write reasons."""
    offering: int
    """1: say with which deadline a job that is refused for its own would have been admitted."""
    charging: int
    """What an active job is charged a second, one of ``molokini.tables.usage``; 0: nothing."""
    charge_interval_s: float
    """Length of a window of ``usage``; windows begin at whole multiples of it."""
    banking: int
    """1: a job starts with a lien on an account, or not at all (``molokini.tables.bank``)."""
    bank_debit: int
    """What jobs are charged, one of ``model.banks.Debit``."""
    bank_successful: int
    """1: only jobs that ended well, or reached their limits, are charged."""
    bank_fallback: int
    """The account that pays where no other can; 0: none."""
    liens: int
    """Jobs for which an account has set something aside, or paid already."""
    deferring: int
    """1 once a job was deferred."""
    uneven: int
    """1 once a job was suspended, shared, requeued or promised a start: freed rows need more cleaning."""
    entry_free: int
    component_free: int
    component_spare: int
    """Components that are free; a request that needs more than there are waits for ``grow``."""

    # Jobs, one row each. In the order in which a plain job needs them: what comes with it first, then
    # what its start sets, then what few jobs have.
    job_state: RecordInts
    job_serial: RecordInts
    """Whose row it is, to the owner of the tables (the engine: row of the workload)."""
    job_number: RecordInts
    job_submit_s: RecordFloats
    job_estimate_s: RecordFloats
    job_width: RecordInts
    job_credential: RecordInts
    """Whose it is: a row of ``credential_user`` and its neighbours."""
    job_work_s: RecordFloats
    """Work done at ``job_updated_s``."""
    job_start_s: RecordFloats
    """Start of the present attempt; NEVER before."""
    job_expected_end_s: RecordFloats
    """When the job ends if it runs on as now to its estimate; NEVER unless it is running."""
    job_updated_s: RecordFloats
    job_rate: RecordFloats
    """Seconds of work a second while it runs."""
    job_held: RecordInts
    """Processors taken out of ``free``: its width, or 0 while suspended or sharing."""
    job_place: RecordInts
    """Where it stood in ``running`` when it was put there last; of use where it still stands there."""
    job_entries: RecordInts
    """First entry of its allocation, -1 without one."""
    job_reserved_s: RecordFloats
    """Start of its reservation; NEVER without one."""
    job_attempt: RecordInts
    """Number of the present attempt, or of the first one that is still to come: from 1."""
    job_index: RecordInts
    job_wishes: RecordInts
    """1 where counting processors is not enough to place the job."""
    job_shape: RecordInts
    """Jobs that wish for the same have the same number, from 1; 0: a plain job."""
    job_components: RecordInts
    """First component of the request; the others follow by ``component_next``."""
    job_component_count: RecordInts
    job_load: Floats
    """Units of load of a divisible job; 0: it is not divisible, and its width is as it is."""
    job_deadline_s: Floats
    """The instant at which it must have ended; 0 without one."""
    job_application: Ints
    """What a unit of its load costs: a row of ``application_send_s`` and its neighbours."""
    job_user_priority: Ints
    """What its user gave it, from -1024 (later) to 1023 (sooner); a policy may read it, plain ones do not."""
    job_bypassed: Ints
    """How often a job of lower priority was backfilled past it."""
    job_unqueued_s: Floats
    """Its queue time counts from so many seconds after its submission; NEVER while it is blocked."""
    job_boost: Floats
    """Set by an administrator: added to its priority; from 10^9 on it stands in place of it."""
    job_deferred_s: Floats
    """It is not looked at before this instant; 0: it was never deferred."""
    job_deferrals: Ints
    """How often it was deferred, since somebody released it last."""
    job_deferral: Ints
    """Why it was deferred last, a ``Rule``."""
    job_charged: Floats
    """Units a second that ``usage`` of its credential grows by; 0 while it is not active."""
    reason_rule: Ints
    reason_limit: Floats
    reason_value: Floats
    reason_front: Ints

    # What is known of each shape; equal to the epoch it was found in, and void in any other.
    shape_without_room: Ints
    """``room_epoch`` in which there was no room for a job of this shape."""
    shape_spoils: Ints
    """``start_epoch`` in which a job of this shape would have kept the head from being placed."""

    # Credentials: every combination of user, group, queue, ... that a job has come with, once.
    credential_user: Ints
    credential_group: Ints
    credential_queue: Ints
    credential_queue_priority: Ints
    """What an administrator gave the queue; higher goes first, where a policy reads it."""
    credential_account: Ints
    credential_payer: Ints
    """The row of its account in the bank; 0: it has none."""
    credential_qos: Ints
    """The QoS that the job asked for; -1: none."""
    credential_opened: Ints
    """``room_epoch`` in which ``credential_open`` was found."""
    credential_open: Ints
    """Bits of the reservations that its jobs may use."""

    # The bank: accounts, one row each, and what they have set aside for jobs, by row of the job. All amounts
    # are whole processor-seconds.
    bank_number: Ints
    """The number of the account among credentials."""
    bank_unlimited: Ints
    """1: it can always pay."""
    bank_balance: Ints
    """Deposited and refunded, less what was debited."""
    bank_lien: Ints
    """Set aside for jobs."""
    bank_deposited: Ints
    """All deposits, less withdrawals."""
    bank_debited: Ints
    bank_refunded: Ints
    bank_spare: Ints
    """The balance beside all liens, those of this pass included; holds for one pass only."""
    lien_account: Ints
    """The account that pays for the job; 0: none does."""
    lien_amount: Ints
    lien_billed: Ints
    """What it has paid for the job so far."""
    lien_price: Floats
    """What a second of the job costs."""

    # What active jobs of each credential were charged, by windows of time, the latest first. A row is
    # settled when its rate changes; ``usage.usage_at`` says what it would be at a later instant.
    usage: FloatTable
    usage_rate: Floats
    """Units a second now."""
    usage_settled_s: Floats

    # Scopes: each user, group, account, queue and QoS, and each pair that has limits of its own. Found anew
    # from the credentials and a policy's parameters, by policies that need them.
    credential_scope: IntTable
    credential_rule: Ints
    """Whether its jobs share nodes, one of ``node_rules.NodeRule``: SHARED or SINGLE_JOB."""
    credential_bits: Ints
    """Bits of the features that the nodes of its jobs must have."""
    credential_flags: Ints
    """Bits of what its jobs may do or must."""
    credential_per_node: Ints
    """The most processors of one of its jobs on one node; 0: any number."""
    credential_barred: Ints
    """Bits of the partitions in which its jobs may not be."""
    credential_first: Ints
    """The partition that its jobs try first; -1: none."""
    credential_most: Ints
    """The most processors in service in one partition that its jobs may use."""
    credential_widest: Ints
    """The widest of its plain jobs of which it is known that one of those partitions, empty, takes it."""
    credential_weighed: Ints
    """``room_epoch`` in which ``credential_base`` was found."""
    credential_past: Floats
    """Effective usage of the windows before the present one."""
    credential_base: Floats
    """What all jobs of the credential have in common of their priority, in this pass."""
    scope_row: Ints
    """Where its settings begin in ``parameters``; -1: it has none."""
    scope_key: IntTable
    """By what it is found: types and numbers."""
    scope_found: Ints
    """A hash table over ``scope_key``, from 1; 0: empty."""
    scope_limit: FloatTable
    """Soft limits, then hard ones, by kind; 0: none."""
    scope_limited: Ints
    """Whether it has limits at all: 1 active, 2 idle, 4 and 8 in place of those of others; from 16 on a bit
    for each kind of which it has one of active jobs."""
    scope_active: FloatTable
    """By kind, what active jobs take of the limits, those started in this pass included."""
    scope_idle: FloatTable
    """By kind, what eligible jobs take of them."""
    scope_usage: Floats
    """Effective usage in this pass."""

    # Administrative reservations, and whom each admits: one element a credential.
    reservation_from_s: Floats
    reservation_until_s: Floats
    reservation_processors: Ints
    reservation_used: Ints
    """Of them in use by jobs with access; holds for one question only."""
    reservation_shared: Ints
    """1: its processors may be those of others, and only the larger of what overlaps is kept."""
    reservation_hosted: Ints
    """1: it is on particular nodes."""
    reservation_host: Ints
    """Its first element of ``host_node``; -1: it has none."""
    access_reservation: Ints
    access_kind: Ints
    """One of ``model.reservations.Credential``."""
    access_number: Ints
    access_rule: Ints
    """One of ``access.ADMITS``, ``DENIES``, ``REQUIRES``."""
    access_affinity: Ints
    """One of ``model.reservations.Affinity``."""
    host_reservation: Ints
    host_node: Ints
    host_processors: Ints
    """So many processors of the node are kept."""
    host_used: Ints
    """Of them in use by jobs with access; holds for one question only."""
    host_free: Ints
    """Processors of the node that are idle, at its first element; holds for one question only."""
    host_next: Ints
    """The next element of the same reservation; -1: it is the last."""
    host_first: Ints
    """The first element of the same node."""

    # What reservations on nodes keep, as steps over stretches of time (``kept_steps``), for one pass.
    kept_begin_s: Floats
    kept_mask: Ints
    """Bits of the reservations that are kept from whoever asks."""
    kept_first: Ints
    kept_last: Ints
    kept_from_s: Floats
    """When each step begins."""
    kept_processors: Ints

    # Which nodes reservations keep at an instant (``kept_lists``), for one pass: where each list is, and
    # what stands in them.
    list_at_s: Floats
    list_mask: Ints
    """Bits of the reservations that are kept from whoever asks."""
    list_first: Ints
    list_last: Ints
    listed_node: Ints
    listed_kept: Ints
    """Processors of the node that are kept; more than none."""
    listed_free: Ints
    """Those that are idle then."""

    # How little room reservations leave from an instant on (``least_room``), for each set of them that is
    # kept from whoever asks: how far it is known, and the instants at which it becomes less.
    least_mask: Ints
    least_steps: Ints
    least_reached_s: Floats
    least_segment: Ints
    """The segment of the profile at that instant."""
    least_from_s: FloatTable
    least_free: IntTable

    # Applications: what a unit of load costs, every combination that a divisible job has come with, once.
    application_send_s: Floats
    application_compute_s: Floats
    application_setup_send_s: Floats
    application_setup_compute_s: Floats

    # Components of requests, a pool. Component 0 is every plain job's: as many tasks of one processor
    # as the job is wide.
    component_tasks: Ints
    component_where: Ints
    component_per_node: Ints
    component_features: Ints
    component_spread: Ints
    """One of ``Spread``; the same for all components of a job."""
    component_need: FloatTable
    component_next: Ints

    # Nodes and allocations (chains of entries).
    node_state: Ints
    node_group: Ints
    node_features: Ints
    node_total: FloatTable
    node_free: FloatTable
    """Free of each resource, less what this pass has already decided."""
    node_round: Ints
    """While a job is placed and ``rounds`` says so: nodes of lower numbers are tried before others."""
    node_order: Ints
    """All nodes in the order in which they are tried, under the placement RANKED."""
    node_key: Floats
    """By what they are in this order: the highest first."""
    few_key: Floats
    """The keys that nodes have, while they are put in order."""
    few_nodes: Ints
    """So many nodes have each."""
    few_place: Ints
    """Where the next of them goes."""
    node_row: Ints
    """Where what the policy's parameters say of the node begins; -1: they say nothing."""
    node_next_s: Floats
    """Start of the next reservation that needs the node; NEVER: none. As far as the policy has found out."""
    node_sets: Ints
    """Bits of the sets that it is in, by the policy's parameters."""
    node_bits: Ints
    """Bits of the features that it has, by the policy's parameters."""
    node_rule: Ints
    """Whose tasks may go there, one of ``molokini.room.node_rules``."""
    node_holder: Ints
    """Whose jobs are there: user plus 1; 0: nobody's, or see ``molokini.room.node_rules``."""
    node_jobs: Ints
    """How many jobs are there, those started in this pass included."""
    node_own_jobs: Ints
    """How many of them belong to the user whose job is being placed."""
    node_most: Ints
    """How many there may be; 0: any number."""
    node_most_of_one: Ints
    """How many of one user there may be; 0: any number."""
    node_speed: Floats
    """Compared with others, where sets ask."""
    node_seen: Ints
    """Room for marks."""
    node_scratch: FloatTable
    node_hold: FloatTable
    """What each of several reservations holds of a node; a vector of resources for each of them."""
    node_spare: FloatTable
    """What is left of a node when each of them begins; a vector of resources for each of them."""
    node_later: FloatTable
    """The room of each node at ``later_s``, if everybody needs the estimate (``maui.holding``)."""
    node_beside: Floats
    """Processors of a node that are left beside the reservations that were counted so far."""
    class_node: Ints
    """A node of each class."""
    class_size: Ints
    """Nodes of each class."""
    node_partition: Ints
    """The partition of each node, from 0, by the policy's parameters."""
    partition_order: Ints
    """The partitions that have nodes, in the order of their first ones."""
    partition_processors: Ints
    """Processors of each that are in service."""
    partition_free: Ints
    """Idle ones of them, as ``partitions_counted`` says."""
    partition_beside: IntTable
    """Processors that are left beside so many of the reservations that hold nodes."""
    partition_later: Ints
    """Those that are free in ``node_scratch``."""
    node_barred: Ints
    """Processors of each node that are kept from the job in question; 0 between questions."""
    node_barred_list: Ints
    """The nodes for which there are any."""
    node_round_list: Ints
    """The nodes for which ``node_round`` says something."""
    node_hosted: Ints
    """The first of the node's elements of ``host_node``, plus 1; 0: nothing is reserved on it."""
    cluster_room: Ints
    """How many tasks of a component each cluster takes; holds for one question only."""
    cluster_tasks: Ints
    """How many each is to take, or takes; holds for one question only."""
    cluster_order: Ints
    cluster_least: Ints
    """How many processors of each stay free in an interval; holds for one question only."""
    cluster_kept: Ints
    entry_node: Ints
    entry_tasks: Ints
    entry_component: Ints
    entry_next: Ints
    placed_node: Ints
    placed_tasks: Ints
    placed_component: Ints

    # Lists.
    waiting: Ints
    running: Ints
    suspended: Ints
    free_row: Ints
    """A stack: the row freed last is taken first, because it is still in the processor's cache."""
    ranked: Ints
    """Waiting rows by priority, kept from pass to pass by the policy."""
    rank_key: Floats
    """Their priorities, by row."""
    order: Ints
    """Room for a policy to sort rows in; its contents last for one pass only."""
    order_key: Floats

    # What a policy says, plans and remembers.
    decisions: IntTable
    decision_time_s: Floats
    """Argument of a decision that is a time or a share."""
    hole_from_s: Floats
    hole_until_s: Floats
    hole_width: Ints
    parameters: Floats
    memory_f: FloatTable
    memory_i: IntTable
    global_f: Floats
    global_i: Ints
    profile_time_s: Floats
    profile_free: Ints
    profile_clusters: IntTable
    """As ``profile_free``, a column a cluster; for policies that plan over clusters."""
    planned_tasks: IntTable
    """Processors that a waiting job's planned start takes, a column a cluster."""


View: TypeAlias = Tables
"""What a policy is given: the tables, with arrays that refuse to be written in interpreted runs."""
