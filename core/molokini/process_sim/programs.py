"""What a process does next: its program, operation by operation, until one takes time."""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.process_sim.agenda import put_in
from molokini.process_sim.patterns import exchange_step
from molokini.process_sim.randomness import drawn, next_share, number
from molokini.process_sim.ready import is_useful
from molokini.process_sim.stamps import stamp, unstamp
from molokini.process_sim.tables import ANYBODY, FRAME, World
from molokini.process_sim.words import Event, Op, Rank, Segment, State

HAS_SEGMENT = 1
LEAVES_FOR_IO = 2
SLEEPS = 3
EXITS = 4
FRAME_FINISHED = 5
GOES_ROUND = 6
SUSPENDS = 7
"""At a safe point, as it was asked to (``Processes.parked``)."""
REPORTED = 8
"""An iteration has ended."""
MOST_OPERATIONS = 4000
"""Operations without any time between them; the heap has room for as many messages."""


@inner
def channel_from(w: World, p: int, peer: int) -> int:
    """The channel from the process of that rank to *p*."""
    return int(w.procs.into[p] + peer * w.procs.peers[p])


@inner
def send(w: World, p: int) -> None:
    """The message of *p* leaves now: in its channel none overtakes another."""
    peer = w.procs.peer[p]
    channel = w.procs.out[p] + peer
    receiver = p - w.procs.rank[p] + peer
    other = w.procs.cpu[receiver]
    if w.cpus.node[w.procs.cpu[p]] == w.cpus.node[other]:
        arrival = w.now + w.costs.local_latency
    else:
        arrival = w.now + w.costs.latency
        if w.costs.wire_num > 0:
            arrival += w.procs.bytes[p] * w.costs.wire_num // w.costs.wire_den
    if arrival < w.channels.last[channel]:
        arrival = w.channels.last[channel]
    w.channels.last[channel] = arrival
    if w.asked.stamped:
        stamp(w, p, channel)
    put_in(w, arrival, Rank.MESSAGE, (other << 32) | receiver, Event.MESSAGE, channel)


@kernel
def _send_at_once(w: World, p: int) -> None:
    """``send``, where that costs no time."""
    seldom()
    send(w, p)


@inner
def begin_send(w: World, p: int, peer: int, size: int) -> bool:
    """Begin to send; whether that takes time. If not, the message has left."""
    w.procs.peer[p] = peer
    w.procs.bytes[p] = size
    cost = w.costs.send
    if w.costs.byte_num > 0:
        cost += size * w.costs.byte_num // w.costs.byte_den
    if cost > 0:
        w.procs.segment[p] = Segment.SEND
        w.procs.left[p] = cost
        return True
    _send_at_once(w, p)
    return False


@inner
def begin_wait(w: World, p: int, waits: int) -> bool:
    """Take the message, or wait for it: whether either takes time."""
    w.procs.waits[p] = waits
    if is_useful(w, p):
        return take_message(w, p)
    w.procs.segment[p] = Segment.SPIN
    w.procs.left[p] = w.procs.spin[p]
    w.procs.waiting_since[p] = w.now
    w.procs.inbox_before[p] = w.procs.inbox[p]
    return True


@kernel
def _sender_of_any(w: World, p: int) -> int:
    """The lowest rank from which a message waits."""
    for rank in range(w.procs.peers[p]):
        if w.channels.waiting[channel_from(w, p, rank)] > 0:
            return rank
    return -1


@inner
def take_message(w: World, p: int) -> bool:
    """Take the message for which *p* waits, and which is there; whether receiving it takes time."""
    channel = w.procs.waits[p]
    w.procs.waits[p] = -1
    if w.procs.home[p] >= 0:
        w.procs.level[p] = w.procs.home[p]
        w.procs.home[p] = -1
    if channel < 0:
        if channel == FRAME:
            return False
        w.procs.sender[p] = _sender_of_any(w, p)
        channel = channel_from(w, p, w.procs.sender[p])
    w.channels.waiting[channel] -= 1
    w.procs.inbox[p] -= 1
    if w.asked.stamped:
        unstamp(w, p, channel)
    if w.programs.ops[w.procs.pc[p], 0] == Op.EXCHANGE:
        w.procs.step[p] += 1
    else:
        w.procs.pc[p] += 1
    if w.costs.receive > 0 or w.asked.stamped:
        w.procs.segment[p] = Segment.RECEIVE
        w.procs.left[p] = w.costs.receive
        return True
    return False


@inner
def _exchange(w: World, p: int, at: int) -> bool:
    """The next step of an exchange; whether it takes time."""
    size, step = w.procs.peers[p], w.procs.step[p]
    shift = 1
    if w.programs.ops[at, 3] == 1 and size > 1:
        # The same for all processes of the job: by a key by which no process draws, and the round.
        shift = 1 + number(w.seed, w.procs.key[p - w.procs.rank[p]] + 1, w.procs.rounds[p]) % (size - 1)
    code = exchange_step(w.programs.ops[at, 1], w.procs.rank[p], size, step, shift)
    if code < 0:
        w.procs.step[p] = 0
        w.procs.rounds[p] += 1
        w.procs.pc[p] += 1
        return False
    if code & 1:
        return begin_wait(w, p, channel_from(w, p, code >> 1))
    w.procs.step[p] += 1
    return begin_send(w, p, code >> 1, w.programs.ops[at, 2])


@inner
def _counted(w: World, p: int, which: int) -> int:
    """Count one more round of a loop."""
    if which == 0:
        w.procs.counter_0[p] += 1
        return int(w.procs.counter_0[p])
    if which == 1:
        w.procs.counter_1[p] += 1
        return int(w.procs.counter_1[p])
    if which == 2:
        w.procs.counter_2[p] += 1
        return int(w.procs.counter_2[p])
    w.procs.counter_3[p] += 1
    return int(w.procs.counter_3[p])


@inner
def _forget(w: World, p: int, which: int) -> None:
    if which == 0:
        w.procs.counter_0[p] = 0
    elif which == 1:
        w.procs.counter_1[p] = 0
    elif which == 2:
        w.procs.counter_2[p] = 0
    else:
        w.procs.counter_3[p] = 0


@kernel
def _io(w: World, p: int, at: int) -> int:
    """Whether there is an I/O this time, and how long it takes (``left``)."""
    chance = w.programs.ops[at, 2]
    if chance < 1 << 30 and next_share(w, p) * (1 << 30) > chance:
        return 0
    w.procs.left[p] = drawn(w, p, w.programs.ops[at, 1])
    return int(w.procs.left[p])


@inner
def times(count: int, num: int, den: int) -> int:
    """count * num // den, with no product in between that a whole number of 64 bits cannot hold."""
    return int(count * (num // den) + count * (num % den) // den)


@kernel
def _frame(w: World, p: int) -> int:
    """Begin a frame: HAS_SEGMENT while there is no room, SLEEPS until it comes, else 0."""
    job = w.procs.job[p]
    if w.jobs.began[job] - w.jobs.frames_total[job] >= w.jobs.room[job]:
        w.procs.waits[p] = FRAME
        w.procs.segment[p] = Segment.SPIN
        w.procs.left[p] = w.procs.spin[p]
        w.procs.waiting_since[p] = w.now
        return HAS_SEGMENT
    if w.jobs.frame_num[job] > 0:
        number = max(0, w.jobs.began[job] - w.jobs.lead[job])
        frame = times(number, w.jobs.frame_num[job], w.jobs.frame_den[job])
        due = w.jobs.period_start[job] + frame
        if due > w.now:
            w.procs.left[p] = due - w.now
            return SLEEPS
    w.jobs.began[job] += 1
    w.procs.pc[p] += 1
    return 0


@kernel
def _at_speed(w: World, p: int) -> int:
    """How long the CPU of *p* computes on what is left."""
    seldom()
    return int(-(-w.procs.left[p] * 1000 // w.cpus.speed[w.procs.cpu[p]]))


@inner
def next_operation(w: World, p: int) -> int:
    """Go on with the program of *p* until something takes time: one of the codes above."""
    for _ in range(MOST_OPERATIONS):
        at = w.procs.pc[p]
        op = w.programs.ops[at, 0]
        if op == Op.COMPUTE:
            w.procs.pc[p] = at + 1
            w.procs.left[p] = drawn(w, p, w.programs.ops[at, 1])
            if w.asked.unlike:
                w.procs.left[p] = _at_speed(w, p)
            if w.procs.left[p] > 0:
                w.procs.segment[p] = Segment.COMPUTE
                return HAS_SEGMENT
        elif op == Op.SEND:
            w.procs.pc[p] = at + 1
            if begin_send(w, p, w.programs.ops[at, 1], w.programs.ops[at, 2]):
                return HAS_SEGMENT
        elif op == Op.RECV:
            if begin_wait(w, p, channel_from(w, p, w.programs.ops[at, 1])):
                return HAS_SEGMENT
        elif op == Op.EXCHANGE:
            if _exchange(w, p, at):
                return HAS_SEGMENT
        elif op == Op.LOOP:
            count = w.programs.ops[at, 2]
            if count < 0 or _counted(w, p, w.programs.ops[at, 3]) < count:
                w.procs.pc[p] = w.programs.ops[at, 1]
            else:
                _forget(w, p, w.programs.ops[at, 3])
                w.procs.pc[p] = at + 1
        elif op == Op.EXIT:
            return EXITS
        else:
            code = _seldom(w, p, at, op)
            if code > 0:
                return code
    return GOES_ROUND


@kernel
def after_a_frame(w: World, p: int) -> int:
    """``next_operation``, for those who ask seldom."""
    seldom()
    return next_operation(w, p)


@kernel
def _seldom(w: World, p: int, at: int, op: int) -> int:
    """The other operations; 0: go on."""
    seldom()
    if op == Op.IO:
        w.procs.pc[p] = at + 1
        if _io(w, p, at) > 0:
            return LEAVES_FOR_IO
    elif op == Op.SLEEP:
        w.procs.pc[p] = at + 1
        w.procs.left[p] = drawn(w, p, w.programs.ops[at, 1])
        if w.procs.left[p] > 0:
            return SLEEPS
    elif op == Op.FRAME_IN:
        return _frame(w, p)
    elif op == Op.FRAME_OUT:
        w.procs.pc[p] = at + 1
        return FRAME_FINISHED
    elif op == Op.RECV_ANY:
        if begin_wait(w, p, ANYBODY):
            return HAS_SEGMENT
    elif op == Op.REPLY:
        w.procs.pc[p] = at + 1
        if begin_send(w, p, w.procs.sender[p], w.programs.ops[at, 2]):
            return HAS_SEGMENT
    elif op == Op.TAKE:
        job = w.procs.job[p]
        if w.jobs.bag[job] > 0:
            if w.procs.parked[p] == 1:
                w.procs.parked[p] = 2
                return SUSPENDS
            w.jobs.bag[job] -= 1
            w.procs.pc[p] = at + 1
        else:
            w.procs.pc[p] = w.programs.ops[at, 1]
    elif op == Op.REPORT:
        w.procs.pc[p] = at + 1
        return REPORTED
    elif op == Op.ACCESS:
        w.procs.pc[p] = at + 1
        w.channels.accesses[w.programs.ops[at, 1], p] += 1
    return 0


@inner
def runs(w: World, p: int) -> bool:
    """Whether *p* has its CPU."""
    return bool(w.procs.state[p] == State.RUNNING)
