"""``molokini record``: a command of a real batch system, kept with what it said."""

import os
import pwd
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from molokini.clients.arguments.servers import RecordArguments
from molokini.clients.recorded_files import added
from molokini.model.errors import BadValue

_NOT_FOUND, _SIGNALLED, _LOWEST_UID = 127, 128, 1000


def record(arguments: RecordArguments) -> int:
    """Run the command, show what it says, add it to the file; its exit code."""
    if not arguments.argv:
        raise BadValue("COMMAND", "", "a command behind --: molokini record session.jsonl -- squeue -u ann")
    command, *words = arguments.argv
    try:
        out, err, code = _ran(arguments.argv)
    except OSError as error:
        print(f"molokini: {command}: {error.strerror}", file=sys.stderr)
        return _NOT_FOUND
    sys.stdout.write(out)
    sys.stderr.write(err)
    names = {} if arguments.keep_names else _others()
    kept = {
        "command": os.path.basename(command),
        "words": [_anonymous(word, names) for word in words],
        "out": _anonymous(out, names),
        "err": _anonymous(err, names),
        "code": code,
    }
    added(Path(arguments.file), kept)
    return code


def _ran(line: Sequence[str]) -> tuple[str, str, int]:
    """What the command *line* says on both streams, and its exit code; of one that a signal ends, 128 and it.

    Raises OSError for what cannot be started.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        streams = ((os.POSIX_SPAWN_DUP2, file.fileno(), number) for file, number in ((out, 1), (err, 2)))
        pid = os.posix_spawnp(line[0], list(line), os.environ, file_actions=list(streams))
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode("utf-8", "replace"))
    return texts[0], texts[1], code if code >= 0 else _SIGNALLED - code


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
