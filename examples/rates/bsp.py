"""One or two ranks that compute and exchange messages, and report each iteration: a program to be controlled.

    molokini submit --nodes 2 --processors-per-node 1 --rate 50% -- \
        python3 bsp.py --port 7777

Work is a number of steps, found at the start by processor time, so that load beside it does not change it.
Each rank prints its process first, and then a line an iteration: iteration, instant of the monotonic clock,
processor time so far, and for how long it could have computed and had no processor. All are seconds.
"""

import argparse
import os
import socket
import time

from reporting import report  # type: ignore[import-not-found]  # beside this file

BLOCK = b"x" * 32768


def burn(steps: int) -> int:
    """Compute."""
    total = 0
    for k in range(steps):
        total += k
    return total


def steps_a_second() -> float:
    """Steps a second of processor time: the best of five tries."""
    found = []
    for _ in range(5):
        before = time.process_time()
        burn(400_000)
        found.append(400_000 / (time.process_time() - before))
    return max(found)


def exchange(peer: socket.socket, blocks: int) -> None:
    """Send and receive so many blocks: both send first, so that neither waits for the other's turn."""
    for _ in range(blocks):
        peer.sendall(BLOCK)
        left = len(BLOCK)
        while left:
            left -= len(peer.recv(left))


def joined(rank: int, port: int, path: str) -> socket.socket:
    """The connection of the two ranks: by TCP, or on one machine by a Unix socket."""
    family = socket.AF_UNIX if path else socket.AF_INET
    address = path or ("127.0.0.1", port)
    if rank == 0:
        with socket.socket(family, socket.SOCK_STREAM) as server:
            server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            server.bind(address)
            server.listen()
            return server.accept()[0]
    while True:
        made = socket.socket(family, socket.SOCK_STREAM)
        try:
            made.connect(address)
        except (ConnectionRefusedError, FileNotFoundError):
            made.close()
            time.sleep(0.05)
        else:
            return made


def waited_s() -> float:
    """Seconds for which this process could have computed and had no processor, by the kernel's account."""
    with open("/proc/self/schedstat") as file:
        return int(file.read().split()[1]) / 1e9


def main() -> None:
    """Iterate."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--compute", type=float, default=0.5, help="Seconds of an iteration.")
    parser.add_argument("--exchange", type=float, default=0.5, help="Seconds of an iteration.")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--port", type=int, default=0, help="Of two ranks; 0: there is one alone.")
    parser.add_argument("--unix", default="", help="Path of a socket in place of the port, on one machine.")
    asked = parser.parse_args()
    print("process", os.getpid(), flush=True)
    rank = int(os.environ.get("MOLOKINI_NODE_INDEX", "0"))
    steps = round(steps_a_second() * asked.compute / asked.rounds)
    peer, blocks = None, 0
    if asked.port or asked.unix:
        peer = joined(rank, asked.port, asked.unix)
        before = time.process_time()
        exchange(peer, 200)
        spent = (time.process_time() - before) / 200
        # Both exchange as many: rank 0 says how many.
        if rank == 0:
            blocks = max(1, round(asked.exchange / asked.rounds / spent))
            peer.sendall(blocks.to_bytes(8, "little"))
        else:
            blocks = int.from_bytes(peer.recv(8, socket.MSG_WAITALL), "little")
    for iteration in range(1, asked.iterations + 1):
        for _ in range(asked.rounds):
            burn(steps)
            if peer is not None:
                exchange(peer, blocks)
        if rank == 0:
            report(iteration)
        print(iteration, time.monotonic(), time.process_time(), waited_s(), flush=True)


if __name__ == "__main__":
    main()
