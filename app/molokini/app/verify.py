"""``molokini verify``: does the live server decide as the simulator does?"""

import asyncio
import json
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from molokini.app.verifying import (
    History,
    as_live,
    configured_policy,
    history_of,
    live_run,
    machine_of,
    simulated_history,
)
from molokini.clients.maui_files import ConfiguredPolicy
from molokini.model.errors import BadInput, BadValue, MolokiniError
from molokini.sim.replay import Options
from molokini.workloads.readers import read_workload
from molokini.workloads.workload import Workload


class Different(MolokiniError):
    """The two runs differ."""


def run(arguments: Any) -> None:
    """Compare the runs of a log's first jobs, print how they differ; Different (exit 1) where they do."""
    workload, processors = _workload(arguments)
    with ExitStack() as stack:
        state = arguments.state or stack.enter_context(tempfile.TemporaryDirectory(prefix="molokini-verify-"))
        before = time.perf_counter()
        config = arguments.maui_config
        # Whether the policy can be so configured is found out before anything runs.
        chosen = configured_policy(arguments.policy, config)
        if isinstance(chosen, ConfiguredPolicy):
            chosen.options(Options(), as_live(workload), machine_of(workload, processors, on_nodes=True))
        for note in chosen.notes([workload]):
            print(f"molokini: {note}", file=sys.stderr)
        asyncio.run(live_run(workload, processors, arguments.policy, Path(state), _progress(), config))
        elapsed_s = time.perf_counter() - before
        live = asyncio.run(history_of(Path(state), len(workload)))
    simulated = simulated_history(workload, processors, arguments.policy, arguments.maui_config)
    report = _report(arguments, workload, processors, live, live.differences(simulated), elapsed_s)
    if arguments.json:
        _write(report, arguments.json)
    if arguments.json != "-":
        print(_sentence(report))
    if not report["equal"]:
        raise Different(
            f"{arguments.policy}: the live server and the simulator differ: {report['differences']}"
        )


def _workload(arguments: Any) -> tuple[Workload, int]:
    workload = read_workload(Path(arguments.log))
    if arguments.jobs is not None:
        if arguments.jobs < 1:
            raise BadValue("--jobs", arguments.jobs, "1 or more")
        workload = workload.take(slice(0, arguments.jobs))
    processors = arguments.procs or workload.machine_processors
    if processors is None:
        raise BadInput(f"{arguments.log}: no MaxProcs in its header; say how many with --procs N")
    return workload.take(workload.processors <= processors), int(processors)


def _progress() -> Any:
    if not sys.stderr.isatty():
        return None

    def show(done: int, jobs: int) -> None:
        if done % 200 == 0 or done == jobs:
            print(
                f"\r{done:,} of {jobs:,} jobs have ended", end="\n" if done == jobs else "", file=sys.stderr
            )

    return show


def _report(
    arguments: Any,
    workload: Workload,
    processors: int,
    live: History,
    differences: dict[str, float],
    elapsed_s: float,
) -> dict[str, Any]:
    return {
        "schema": "molokini.verify/1",
        "workload": {"file": Path(arguments.log).name, "jobs": len(workload)},
        "cluster": {"processors": processors},
        "policy": {
            "name": arguments.policy,
            **({"maui_config": {"file": arguments.maui_config}} if arguments.maui_config else {}),
        },
        "equal": not any(differences.values()),
        "differences": differences,
        "journal": {
            "facts": live.facts,
            "facts_per_job": round(live.facts / max(1, len(workload)), 3),
            "epochs": live.epochs,
        },
        "run": {"elapsed_s": round(elapsed_s, 3), "jobs_per_s": round(len(workload) / elapsed_s, 1)},
    }


def _sentence(report: dict[str, Any]) -> str:
    how = "equal" if report["equal"] else "DIFFERENT"
    largest = max(report["differences"]["start_s"], report["differences"]["end_s"])
    jobs, facts = report["workload"]["jobs"], report["journal"]["facts"]
    return (
        f"{report['policy']['name']}: {jobs:,} jobs live and simulated: {how} "
        f"(largest difference {largest:g} s, "
        f"{report['differences']['suspends_and_resumes']:.0f} suspensions or resumptions differ); "
        f"{facts:,} journalled facts, {report['run']['elapsed_s']:.1f} s"
    )


def _write(report: dict[str, Any], target: str) -> None:
    text = json.dumps(report, indent=2) + "\n"
    if target == "-":
        sys.stdout.write(text)
        return
    path = Path(target)
    scratch = path.with_name(path.name + ".part")
    scratch.write_text(text, encoding="utf-8")
    scratch.replace(path)
