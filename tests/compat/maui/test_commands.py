"""Maui's commands where no transcript can say what they print: instants, agents, traces, and no server."""

import grp
import os
import re
from pathlib import Path

import pytest

from molokini.compat.table import commands, options
from tests.kit.batch_commands import system_variables

UP = ("--nodes", 2, "--processors-per-node", 1, "--policy", "easy")
DATE = r"[A-Z][a-z]{2} [A-Z][a-z]{2} [ 1-3]\d \d\d:\d\d:\d\d"


async def test_on_a_real_clock_dates_are_local_times(tmp_path: Path) -> None:
    async with system_variables(tmp_path, "maui", up=UP) as cluster:
        await cluster.molokini("submit", "--processors", 2, "--estimate", 600, "--emulate", "run=500")
        line = next(line for line in (await cluster.ran("showq", TZ="UTC")).lines if line.startswith("1 "))
        assert re.fullmatch(rf"1 {{18}}.{{8}}    Running     2    00:(09:\d\d|10:00)  {DATE}", line), line
        hour = int(line[-8:-6])
        line = next(line for line in (await cluster.ran("showq", TZ="XYZ-5")).lines if line.startswith("1 "))
        assert int(line[-8:-6]) == (hour + 5) % 24
        told = await cluster.ran("setres", "-u", "ann", "-s", "23:59_12/31/2099", "-d", "60", "ALL", TZ="UTC")
        assert told.out == "reservation 'ann.1' created (2 tasks)\n"
        assert "Thu Dec 31 23:59:00" in (await cluster.ran("showres", TZ="UTC")).out


async def test_the_scheduler_and_its_agents(tmp_path: Path) -> None:
    async with system_variables(tmp_path, "maui", up=UP) as cluster:
        shown = await cluster.ran("diagnose", "-S")
        assert re.match(
            r"Molokini \S+  policy: easy  state: RUNNING\nIterations: \d+   Starts: 1\n", shown.out
        )
        assert (await cluster.ran("schedctl", "-s")).code == 0
        shown = await cluster.ran("diagnose", "-S")
        assert "state: PAUSED" in shown.out
        assert shown.lines[-1] == "WARNING:  scheduling is paused, and no job starts"
        made = int(re.findall(r"Iterations: (\d+)", shown.out)[0])
        refused = await cluster.ran("schedctl", "-s", made - 1 or 1)
        assert refused.code == (1 if made > 1 else 0)
        shown = await cluster.ran("diagnose", "-R")
        assert shown.lines[:3] == [
            "diagnosing resource managers",
            "",
            "RM[emulated]  State: Active  Peer: this process",
        ]
        assert shown.lines[-1] == "  Nodes Reported: 2 (2 up)   Procs: 2   Jobs: 0"


async def test_a_job_that_is_started_past_a_paused_scheduler(tmp_path: Path) -> None:
    async with system_variables(tmp_path, "maui", up=UP) as cluster:
        await cluster.ran("schedctl", "-s")
        await cluster.molokini("submit", "--processors", 2, "--estimate", 600, "--emulate", "run=500")
        assert "job cannot run now (scheduling is paused)" in (await cluster.ran("checkjob", 1)).out
        assert (await cluster.ran("runjob", 1)).out == "\njob '1' successfully started\n"
        assert "State: Running" in (await cluster.ran("checkjob", 1)).out
        await cluster.ran("schedctl", "-r")
        await cluster.molokini("submit", "--processors", 2, "--estimate", 600, "--emulate", "run=500")
        told = (await cluster.ran("checkjob", 2)).out
        assert "job cannot run in partition DEFAULT (insufficient idle procs available: 0 < 2)" in told
        assert (await cluster.ran("canceljob", 1)).out == "\njob '1' cancelled\n"


@pytest.mark.deep
async def test_a_trace_is_read_here_and_not_by_the_server(tmp_path: Path) -> None:
    trace = tmp_path / "-log.swf"
    trace.write_text("; a log\n1 0 10 3600 4 -1 -1 4 7200 -1 1 7 1 1 1 -1 -1 -1\n")
    async with system_variables(tmp_path, "maui", up=UP) as cluster:
        told = await cluster.ran("profiler", "-t", "./-log.swf", "-n", "5")
        assert told.code == 0, told.err
        assert "1 ended job" in told.lines[0]
        assert (await cluster.ran("profiler", "-t", "-log.swf")).code == 0
        assert (await cluster.ran("profiler", "-t", "nothing.swf")).code != 0


async def test_where_there_is_no_server(tmp_path: Path) -> None:
    async with system_variables(tmp_path, "maui", up=UP) as cluster:
        elsewhere = f"unix:{tmp_path}/nothing"
        told = await cluster.ran("showq", MOLOKINI_GATEWAY=elsewhere)
        assert (told.out, told.code) == ("", 1)
        assert told.err.startswith("ERROR:    cannot connect to scheduler: no server at ")
        for name, module in commands()["maui"].items():
            helped = await cluster.ran(name, "--help", MOLOKINI_GATEWAY=elsewhere)
            assert (helped.err, helped.code) == ("", 0), name
            assert helped.lines[0].startswith(f"usage: {name} ")
            known = {re.split(r"[ ,\[]", one)[0] for one in map(str.strip, helped.lines) if one[:1] == "-"}
            supported = {one.names[0] for one in options("maui", module) if one.becomes != "refused"}
            assert supported <= known, name


async def test_without_a_configuration_groups_and_parameters_are_there(tmp_path: Path) -> None:
    """Jobs of qsub and sbatch run for their submitter's group; parameters have Maui's names."""
    up = ("--nodes", 2, "--processors-per-node", 1, "--policy", "maui", "--clock", "stepped")
    async with system_variables(tmp_path, "pbs", "slurm", "maui", up=up) as cluster:
        group = grp.getgrgid(os.getgid()).gr_name
        assert (await cluster.ran("qsub", "--", "/bin/true")).code == 0
        assert (await cluster.ran("sbatch", "--wrap", "true")).code == 0
        assert (await cluster.ran("qsub", "-W", "group_list=lab", "--", "/bin/true")).code == 0
        for job, expected in ((1, group), (2, group), (3, "lab")):
            assert f"  group:{expected}  " in (await cluster.ran("checkjob", job)).out
        assert "group_list" not in (await cluster.ran("qstat", "-f", 1)).out
        assert "    group_list = lab\n" in (await cluster.ran("qstat", "-f", 3)).out
        assert f"    egroup = {group}\n" in (await cluster.ran("qstat", "-f", 1)).out
        shown = (await cluster.ran("showconfig")).lines
        assert "BACKFILLPOLICY[0]              FIRSTFIT" in shown
        assert not any(line[:1].islower() for line in shown)
