"""The command: options in, one line of JSON out; or one line that says why not."""

import importlib.util
import json
import os
import sys
from collections.abc import Sequence
from typing import Any

from exchange.joining import join
from exchange.launching import Failed, LaunchEnded, launch
from exchange.options import Options, Refused, read
from exchange.twin import twin


def main(arguments: Sequence[str]) -> int:
    """Run it; the exit code."""
    try:
        options = read(arguments, os.environ)
        if options.twin:
            print(twin(options).command)
            return 0
        if importlib.util.find_spec("numpy") is None:
            raise Refused(f"numpy: {sys.executable} does not have it; start a Python that does")
        # One thread a task, so that a task is one processor's work.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        if options.place.index:
            join(options)
        else:
            print(json.dumps(_result(options, launch(options))))
    except Refused as error:
        return _said(str(error), 2)
    except Failed as error:
        return _said(str(error), 1)
    except LaunchEnded as error:
        return _said(f"ended by signal {error.number}", 128 + error.number)
    return 0


def _said(text: str, code: int) -> int:
    print(f"exchange: {text}", file=sys.stderr)
    return code


def _result(options: Options, tasks: list[dict[str, Any]]) -> dict[str, Any]:
    from exchange.work import checksum, sequential

    first = tasks[0]
    found = checksum(bytes.fromhex(task["digest"]) for task in tasks)
    if options.verify:
        rounds = first["iterations"] * options.rounds
        wanted = sequential(
            options.tasks, options.pattern, options.seed, rounds, first["units"], first["words"]
        )
        if found != wanted:
            raise Failed(f"the checksum is {found}, and one task after the other it is {wanted}")
    seconds = max(task["seconds"] for task in tasks)
    return {
        "job": options.job,
        "tasks": options.tasks,
        "pattern": options.pattern,
        "seed": options.seed,
        "rounds": options.rounds,
        "units": first["units"],
        "message_bytes": 8 * first["words"],
        "iterations": first["iterations"],
        "seconds": round(seconds, 6),
        "iterations_per_s": round(first["iterations"] / seconds, 6),
        "shares": [
            {name: round(task[name], 4) for name in ("computing", "waiting", "exchanging")} for task in tasks
        ],
        "cpu_s": [round(task["cpu_s"], 3) for task in tasks],
        "asked": sum(task["asked"] for task in tasks),
        "odd_bytes": sum(task["odd_bytes"] for task in tasks),
        "checksum": found,
        "verified": options.verify,
        "reports_sent": sum(task["reports_sent"] for task in tasks),
        "reports_lost": sum(task["reports_lost"] for task in tasks),
    }
