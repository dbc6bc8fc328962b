"""``molokini verify``: does the live server decide as the simulator does?"""

import asyncio
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Any

from molokini.app.verified_jobs import taken
from molokini.app.verified_machine import described_processors, machine_of, site_of
from molokini.app.verifying import (
    History,
    as_live,
    configured_policy,
    history_of,
    live_run,
    simulated_history,
)
from molokini.clients.output import STANDARD_OUTPUT, check_outputs
from molokini.clients.watching import watched
from molokini.experiments import parts
from molokini.experiments.asked import texts
from molokini.experiments.choosing import Chosen, policy_folders, settings, text_of
from molokini.experiments.computed import is_computed
from molokini.experiments.logs import read_log
from molokini.experiments.maui_files import ConfiguredPolicy
from molokini.experiments.models import ModelWithValues, check_source, choose_both, refuse_configured, spec_of
from molokini.experiments.packs import called, in_pack, is_pack, pack_of, renamed
from molokini.model.errors import BadInput, BadValue, MolokiniError
from molokini.model.site import CONFIGURABLE, DESCRIBED
from molokini.model.specs import split_spec
from molokini.policies import load_policy, policy_file
from molokini.sim.replay import Options
from molokini.workloads.workload import Workload


class Different(MolokiniError):
    """The two runs differ."""


@dataclass(frozen=True)
class VerifyRequest:
    """What is run both ways."""

    workload: Workload
    processors: int
    policy: str
    """The name of the policy, or the path of its file."""
    parameters: Mapping[str, str]
    chosen: Chosen
    made: ModelWithValues | None
    """The model of the workload, where one makes it."""

    @property
    def label(self) -> str:
        """The policy with the parameters that it was given."""
        given = "&".join(f"{name}={value}" for name, value in self.parameters.items())
        return self.chosen.policy.name + (f"?{given}" if given else "")


def run(arguments: Any) -> None:
    """Compare the two runs of a workload, print how they differ; Different (exit 1) where they do."""
    with in_pack(arguments.log):
        _run(_opened(arguments), arguments.log)


def _opened(arguments: Any) -> Any:
    """*arguments* with the files of the pack that is the log, if it is one."""
    if not is_pack(arguments.log):
        return arguments
    pack = pack_of(arguments.log)
    return replace(
        arguments,
        log=pack.log,
        slurm_conf=arguments.slurm_conf or pack.file("configuration"),
        slurm_accounts=arguments.slurm_accounts or pack.beside,
    )


def _run(arguments: Any, log: Any) -> None:
    _check(arguments)
    asked, (config, beside) = _asked(arguments), _configuration(arguments)
    asked = replace(asked, workload=called(asked.workload, log), chosen=renamed(asked.chosen, log))
    workload, processors, chosen = asked.workload, asked.processors, asked.chosen
    with ExitStack() as stack:
        state = arguments.state or stack.enter_context(tempfile.TemporaryDirectory(prefix="molokini-verify-"))
        before = time.perf_counter()
        # Whether the policy can be so configured is found out before anything runs.
        if isinstance(chosen, ConfiguredPolicy):
            machine = machine_of(workload, processors, on_nodes=True, site=site_of(chosen))
            chosen.options(Options(), as_live(workload), machine)
        for note in chosen.notes([workload]):
            print(f"molokini: {note}", file=sys.stderr)
        # A state that is not kept need not survive a power cut.
        synced = arguments.state is not None
        how = (workload, processors, asked.policy)
        live_part = live_run(*how, Path(state), _progress(), config, asked.parameters, synced, beside)
        with _watched(asked, None if synced else state):
            asyncio.run(live_part)
        elapsed_s = time.perf_counter() - before
        live = asyncio.run(history_of(Path(state), len(workload)))
    with watched(chosen.policy):
        simulated = simulated_history(*how, config, asked.parameters, beside)
    report = _report(arguments, log, asked, live, live.differences(simulated), elapsed_s)
    if arguments.json:
        _write(report, arguments.json)
    if arguments.json != STANDARD_OUTPUT:
        print(_sentence(asked, report))
    if not report["equal"]:
        raise Different(f"{asked.label}: the live server and the simulator differ: {report['differences']}")


def _watched(asked: VerifyRequest, scratch: str | None) -> AbstractContextManager[None]:
    """The live run ends soon after an interrupt, whatever the policy does; *scratch* is gone then."""
    name = asked.chosen.policy.name
    if asked.chosen.policy.from_file:
        name = Path(asked.policy).name
    return watched(
        asked.chosen.policy,
        lambda: f"policy {name}: ended in a pass that had not returned, in the live run",
        lambda: shutil.rmtree(scratch, ignore_errors=True) if scratch is not None else None,
    )


def _check(arguments: Any) -> None:
    """Complain, before anything is read or compiled, about what can be seen to be wrong."""
    check_source(arguments.log, arguments.workload)
    for option, given, only, why in (
        ("--ties", arguments.ties, "batch", "the live server has one pass for all facts of an instant"),
        ("--overrun", arguments.overrun, "kill", "the live server ends a job at its estimate"),
    ):
        if given != only:
            raise BadValue(option, given, f"{only}: {why}")
    if arguments.procs is not None and arguments.procs < 1:
        raise BadValue("--procs", arguments.procs, "a whole number of 1 or more")
    config, beside = _configuration(arguments)
    check_outputs({"--json": arguments.json}, [name for name in (arguments.log, config, *beside) if name])


def _configuration(arguments: Any) -> tuple[str | None, Sequence[str]]:
    """The file that configures the policy, and files that belong to it. Raises BadInput."""
    name = split_spec(arguments.policy)[0]
    for option, file, configured in (
        ("--maui-config", arguments.maui_config, CONFIGURABLE),
        ("--slurm-conf", arguments.slurm_conf, DESCRIBED),
    ):
        if file is not None and name != configured:
            raise BadInput(
                f"{option} configures the policy {configured}, not {name}; say --policy {configured}"
            )
    if arguments.slurm_accounts and arguments.slurm_conf is None:
        raise BadInput(f"{arguments.slurm_accounts[0]} belongs to a configuration: give --slurm-conf FILE")
    return arguments.maui_config or arguments.slurm_conf, tuple(arguments.slurm_accounts)


def _asked(arguments: Any) -> VerifyRequest:
    folders = policy_folders(arguments.policy_dir)
    name, own = split_spec(arguments.policy)
    path = policy_file(name, folders)
    policy = str(Path(path).absolute()) if path.endswith(".py") else path
    given, (config, beside) = settings(arguments.set), _configuration(arguments)
    spec = spec_of(arguments.log, arguments.workload)
    if spec is not None:
        (made,), _ = choose_both([spec], arguments.policy, arguments.set, folders)
        refuse_configured([made.model], texts(config or ()))
        known = {parameter.name for parameter in load_policy(policy).declaration.parameters}
        parameters = {**{key: value for key, value in given.items() if key in known}, **own}
        chosen = configured_policy(policy, config, parameters, beside)
        workload = made.workload(arguments.seed, arguments.jobs)
        if arguments.procs is not None and not made.model.rigid:
            raise BadInput(
                "--procs is for plain jobs; the machine of this model is among its parameters (--set)"
            )
        return _fitting(workload, arguments.procs, policy, parameters, chosen, made)
    parameters = {**given, **own}
    chosen = configured_policy(policy, config, parameters, beside)
    workload = read_log(arguments.log, jobs=arguments.jobs, seed=arguments.seed)
    return _fitting(workload, arguments.procs, policy, parameters, chosen, None)


def _fitting(
    workload: Workload,
    procs: int | None,
    policy: str,
    parameters: Mapping[str, str],
    chosen: Chosen,
    made: ModelWithValues | None,
) -> VerifyRequest:
    """What is run: the jobs that the machine can hold."""
    described = described_processors(chosen)
    if described is not None and procs is not None:
        raise BadInput(f"--procs {procs}: the nodes of --slurm-conf are the machine; leave --procs out")
    processors = described or _processors(workload, procs)
    if made is None or made.model.rigid:
        workload = workload.take(workload.processors <= processors)
    workload, left_out = taken(chosen, workload)
    if left_out:
        print(f"molokini: {left_out}", file=sys.stderr)
    if not len(workload):
        raise BadInput("no job is left to run: neither processors nor the configuration admit any")
    declaration = chosen.policy.declaration
    if is_computed(declaration, chosen.values):
        # The live server knows no jobs beforehand: it is given what the simulation computes.
        computed = chosen.values_for(workload, processors)[declaration.computed]
        parameters = {**parameters, declaration.computed: text_of(computed)}
    return VerifyRequest(workload, processors, policy, parameters, chosen, made)


def _processors(workload: Workload, given: int | None) -> int:
    if given is None and workload.platform is not None:
        return workload.platform.processors
    processors = given or workload.machine_processors
    if processors is None:
        raise BadInput(f"{workload.name}: no MaxProcs in its header; say how many with --procs N")
    return int(processors)


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
    log: Any,
    asked: VerifyRequest,
    live: History,
    differences: dict[str, float],
    elapsed_s: float,
) -> dict[str, Any]:
    jobs = len(asked.workload)
    file = Path(log).name if log is not None else None
    return {
        "schema": "molokini.verify/1",
        "workload": {
            "file": file,
            "jobs": jobs,
            **({} if asked.made is None else {"generated": asked.made.part(asked.workload)}),
        },
        "cluster": {"processors": asked.processors},
        "policy": parts.policy_part(asked.chosen, [asked.workload]),
        "equal": not any(differences.values()),
        # A time that only one of the runs has is a difference without a size.
        "differences": {name: value if isfinite(value) else None for name, value in differences.items()},
        "journal": {
            "facts": live.facts,
            "facts_per_job": round(live.facts / max(1, jobs), 3),
            "epochs": live.epochs,
        },
        "run": {
            "elapsed_s": round(elapsed_s, 3),
            "jobs_per_s": round(jobs / elapsed_s, 1),
            "seed": arguments.seed,
        },
    }


def _sentence(asked: VerifyRequest, report: dict[str, Any]) -> str:
    how = "equal" if report["equal"] else "DIFFERENT"
    found = report["differences"]
    times_s = [found["start_s"], found["end_s"]]
    largest = (
        "some jobs ran in one of them only" if None in times_s else f"largest difference {max(times_s):g} s"
    )
    jobs, facts = report["workload"]["jobs"], report["journal"]["facts"]
    return (
        f"{asked.label}: {jobs:,} jobs live and simulated: {how} "
        f"({largest}, {found['suspends_and_resumes']:.0f} suspensions or resumptions differ); "
        f"{facts:,} journalled facts, {report['run']['elapsed_s']:.1f} s"
    )


def _write(report: dict[str, Any], target: str) -> None:
    text = json.dumps(report, indent=2, allow_nan=False) + "\n"
    if target == "-":
        sys.stdout.write(text)
        return
    path = Path(target)
    scratch = path.with_name(path.name + ".part")
    scratch.write_text(text, encoding="utf-8")
    scratch.replace(path)
