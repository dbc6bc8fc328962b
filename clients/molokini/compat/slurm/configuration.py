"""``scontrol show config``: what this server has in the place of Slurm's parameters."""

from __future__ import annotations

from molokini.compat._types import Invocation

MIN_JOB_AGE_S = 300
"""Jobs that have ended are listed by squeue for at least so long."""


def lines(run: Invocation) -> list[str]:
    """Title, parameters in the order of the alphabet, and the state of the controller."""
    import os

    from molokini.compat.slurm.cluster import Clock
    from molokini.compat.slurm.times import shown

    cluster = run.transport.call("ClusterService", "GetCluster", {})
    policy = run.transport.call("ClusterService", "GetPolicy", {})
    host = os.uname().nodename
    values = {
        "AccountingStorageHost": host,
        "AccountingStorageType": "accounting_storage/molokini",
        "AuthType": "auth/molokini",
        "ClusterName": cluster.get("name", "molokini"),
        "CompleteWait": "0 sec",
        "DefMemPerNode": "UNLIMITED",
        "FairShareDampeningFactor": "1",
        "GroupUpdateTime": "600 sec",
        "InactiveLimit": "0 sec",
        "JobAcctGatherType": "jobacct_gather/molokini",
        "JobFileAppend": "0",
        "JobRequeue": "1",
        "KillOnBadExit": "0",
        "KillWait": "5 sec",
        "MaxArraySize": str(cluster.get("array_elements", 1000) + 1),
        "MaxJobCount": "1000000",
        "MaxJobId": "999999999",
        "MaxStepCount": "40000",
        "MinJobAge": f"{MIN_JOB_AGE_S} sec",
        "MpiDefault": "none",
        "OverTimeLimit": "0 min",
        "PreemptMode": "OFF",
        "PriorityType": "priority/molokini",
        "ProctrackType": "proctrack/molokini",
        "SchedulerParameters": "(null)",
        "SchedulerType": f"sched/{policy.get('name', 'molokini')}",
        "SelectType": "select/cons_res",
        "SelectTypeParameters": "CR_CPU",
        "SLURM_VERSION": "22.05.8",
        "SlurmctldHost[0]": host,
        "SlurmUser": "root(0)",
        "UnkillableStepTimeout": "60 sec",
        "WaitTime": "0 sec",
    }
    now = shown(Clock(run).now_s)
    made = [f"Configuration data as of {now}"]
    made += [f"{name:<23} = {values[name]}" for name in sorted(values, key=str.lower)]
    return [*made, "", f"Slurmctld(primary) at {host} is UP"]
