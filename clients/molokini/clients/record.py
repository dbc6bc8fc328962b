"""``molokini record``: a command of a real batch system, kept with what it said."""

import os
import pwd
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from molokini.clients.arguments.servers import RecordArguments
from molokini.clients.recorded_files import added
from molokini.model.errors import BadValue

_NOT_FOUND, _LOWEST_UID = 127, 1000


def record(arguments: RecordArguments) -> int:
    """Run the command, show what it says, add it to the file; its exit code."""
    if not arguments.argv:
        raise BadValue("COMMAND", "", "a command behind --: molokini record session.jsonl -- squeue -u ann")
    command, *words = arguments.argv
    try:
        done = subprocess.run(
            [command, *words], capture_output=True, text=True, errors="replace", check=False
        )
    except OSError as error:
        print(f"molokini: {command}: {error.strerror}", file=sys.stderr)
        return _NOT_FOUND
    sys.stdout.write(done.stdout)
    sys.stderr.write(done.stderr)
    names = {} if arguments.keep_names else _others()
    kept = {
        "command": os.path.basename(command),
        "words": [_anonymous(word, names) for word in words],
        "out": _anonymous(done.stdout, names),
        "err": _anonymous(done.stderr, names),
        "code": done.returncode,
    }
    added(Path(arguments.file), kept)
    return done.returncode


def _others() -> Mapping[str, str]:
    """What stands for the names of this machine and of its users, the same in each run."""
    users = sorted((one for one in pwd.getpwall() if one.pw_uid >= _LOWEST_UID), key=lambda one: one.pw_uid)
    made = {one.pw_name: f"user{place}" for place, one in enumerate(users, 1)}
    host = os.uname().nodename
    return {**made, host: "host1", host.partition(".")[0]: "host1"}


def _anonymous(text: str, names: Mapping[str, str]) -> str:
    """*text* with each name, where it stands as a word, replaced."""
    if not names:
        return text
    longest_first = sorted(names, key=len, reverse=True)
    pattern = "|".join(re.escape(name) for name in longest_first)
    return re.sub(rf"(?<![\w.-])(?:{pattern})(?![\w-])", lambda found: names[found[0]], text)
