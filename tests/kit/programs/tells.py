"""A program that tells what it has found of itself when it began, as JSON."""

import ctypes
import json
import os
import resource
import sys

STATUS = ("Uid", "Gid", "Groups", "NoNewPrivs", "SigBlk", "SigIgn", "SigCgt", "Cpus_allowed_list")
_GET_PDEATHSIG = 2


def _death() -> int:
    """The signal that comes with the end of the parent."""
    found = ctypes.c_int()
    ctypes.CDLL(None).prctl(_GET_PDEATHSIG, ctypes.byref(found), 0, 0, 0)
    return found.value


def _status() -> dict[str, list[str]]:
    with open("/proc/self/status") as file:
        lines = dict(line.rstrip("\n").split(":", 1) for line in file)
    return {name: lines[name].split() for name in STATUS}


def _files() -> dict[str, tuple[str, str]]:
    """Of each open file its path and its flags."""
    found = {}
    for number in os.listdir("/proc/self/fd"):
        try:
            path = os.readlink(f"/proc/self/fd/{number}")
            with open(f"/proc/self/fdinfo/{number}") as file:
                found[number] = (path, file.read().split("flags:")[1].split()[0])
        except OSError:
            # That by which the folder was read.
            continue
    return found


def _groups() -> list[str]:
    with open("/proc/self/cgroup") as file:
        return file.read().splitlines()


if __name__ == "__main__":
    limits = {name: resource.getrlimit(getattr(resource, name)) for name in dir(resource) if "RLIMIT" in name}
    told = {
        "argv": sys.argv,
        "environment": dict(os.environ),
        "directory": os.getcwd(),
        "umask": os.umask(0),
        "status": _status(),
        "limits": limits,
        "leads": [os.getsid(0) == os.getpid(), os.getpgrp() == os.getpid()],
        "death": _death(),
        "files": _files(),
        "groups": _groups(),
    }
    print(json.dumps(told))
