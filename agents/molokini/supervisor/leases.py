"""The lease as agent and supervisors share it: one number in a file, an instant of the monotonic clock.

The agent moves it on with each word of the server. A supervisor looks at the instant that it has read, and
ends its job if the number still is no later: so jobs end with the lease though the agent is stopped, or dead.
"""

import mmap
import os
import struct
from math import inf

_NUMBER = struct.Struct("=d")


class LeaseFile:
    """The file, mapped into memory: eight bytes, written and read whole."""

    def __init__(self, path: str, writes: bool = False) -> None:
        flags = os.O_RDWR | os.O_CREAT if writes else os.O_RDONLY
        file = os.open(path, flags | os.O_CLOEXEC, 0o600)
        try:
            if writes and os.fstat(file).st_size != _NUMBER.size:
                os.ftruncate(file, 0)
                os.pwrite(file, _NUMBER.pack(inf), 0)
            access = mmap.ACCESS_WRITE if writes else mmap.ACCESS_READ
            self._memory = mmap.mmap(file, _NUMBER.size, access=access)
        finally:
            os.close(file)

    @property
    def ends_s(self) -> float:
        """When it ends; infinite: never."""
        value: float = _NUMBER.unpack_from(self._memory)[0]
        return value

    @ends_s.setter
    def ends_s(self, ends_s: float) -> None:
        _NUMBER.pack_into(self._memory, 0, ends_s)
