"""Which datagrams the kernel puts into the queue of a socket: a filter of its own, run by each sender.

What the filter drops costs the agent nothing and takes no place in the queue, which holds some ten datagrams
for all senders together. The sender sees no error.
"""

import ctypes
import socket
import struct
from collections.abc import Collection
from contextlib import suppress

_ATTACH, _DETACH = 26, 27
"""SO_ATTACH_FILTER and SO_DETACH_FILTER, which Python does not name."""
_INSTRUCTION = struct.Struct("=HBBI")
_PROGRAM = struct.Struct("@HP")
_LOAD, _LENGTH, _IS, _ANSWER = 0x20, 0x80, 0x15, 0x06
"""Load a word of the datagram, or its length; jump where it is equal; answer how much of it is kept."""
_MOST = 2000
"""Jobs of one filter: the kernel takes 4,096 instructions."""


def let_pass(end: socket.socket, jobs: Collection[int], length: int) -> bool:
    """From now on queue datagrams of this *length* alone that begin with the number of one of *jobs*.

    False: nothing has changed, since the kernel takes no such filter, or there are too many jobs.
    """
    if len(jobs) > _MOST:
        return False
    code = [(_LENGTH, 0, 0, 0), (_IS, 1, 0, length), (_ANSWER, 0, 0, 0)]
    # Numbers of 64 bits with the lowest byte first; the kernel loads words with the highest byte first.
    code += [(_LOAD, 0, 0, 4), (_IS, 1, 0, 0), (_ANSWER, 0, 0, 0), (_LOAD, 0, 0, 0)]
    for job in jobs:
        if 0 < job < 1 << 32:
            code += [(_IS, 0, 1, int.from_bytes(job.to_bytes(4, "little"), "big")), (_ANSWER, 0, 0, length)]
    code.append((_ANSWER, 0, 0, 0))
    text = ctypes.create_string_buffer(b"".join(_INSTRUCTION.pack(*one) for one in code))
    try:
        end.setsockopt(socket.SOL_SOCKET, _ATTACH, _PROGRAM.pack(len(code), ctypes.addressof(text)))
    except OSError:
        return False
    return True


def let_all_pass(end: socket.socket) -> None:
    """Queue everything again."""
    with suppress(FileNotFoundError):
        # There is none: the kernel has not taken it.
        end.setsockopt(socket.SOL_SOCKET, _DETACH, 0)
