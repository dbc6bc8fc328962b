"""A program reports its iterations: call ``report(n)`` at the end of iteration n, from 1. Nothing waits."""

import os
import socket
import struct
import time

_socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
_before_ns = 0


def report(iteration: int) -> None:
    """Tell the agent of this node, if there is one."""
    global _before_ns
    path, job = os.environ.get("MOLOKINI_RATE_SOCKET"), os.environ.get("MOLOKINI_JOB_ID")
    now_ns = time.monotonic_ns()
    per_s = 1e9 / (now_ns - _before_ns) if _before_ns else 1.0
    _before_ns = now_ns
    if path and job:
        try:
            said = struct.pack("<3qd", int(job), iteration, now_ns, per_s)
            _socket.sendto(said, socket.MSG_DONTWAIT, path)
        except OSError:
            # The agent starts again, or has no time now: the next report will do.
            pass
