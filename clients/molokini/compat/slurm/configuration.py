"""``scontrol show config``: what this server has in the place of Slurm's parameters."""

from __future__ import annotations

from molokini.compat._types import Any, Invocation

MIN_JOB_AGE_S = 300
"""Jobs that have ended are listed by squeue for at least so long."""


_UNSET = (
    "AccountingStorageBackupHost AccountingStorageExternalHost AccountingStorageParameters "
    "AccountingStoreFlags "
    "AuthAltParameters AuthAltTypes AuthInfo BcastParameters BurstBufferType CliFilterPlugins "
    "CommunicationParameters DebugFlags DependencyParameters Epilog EpilogSlurmctld FederationParameters "
    "GresTypes HealthCheckProgram JobAcctGatherParams JobCredentialPrivateKey "
    "JobCredentialPublicCertificate "
    "JobDefaults JobSubmitPlugins LaunchParameters Licenses MCSParameters MailDomain MpiParams "
    "NodeFeaturesPlugins PlugStackConfig PowerParameters PrEpParameters PriorityParameters "
    "PrioritySiteFactorParameters PrioritySiteFactorPlugin Prolog PrologFlags PrologSlurmctld "
    "PropagateResourceLimitsExcept RebootProgram ReconfigFlags RequeueExit RequeueExitHold ResumeFailProgram "
    "ResumeProgram ResvEpilog ResvProlog SchedulerParameters ScronParameters SlurmSchedLogFile "
    "SlurmctldAddr "
    "SlurmctldParameters SlurmctldPlugstack SlurmctldPrimaryOffProg SlurmctldPrimaryOnProg "
    "SlurmctldSyslogDebug "
    "SlurmdParameters "
    "SlurmdSyslogDebug SrunEpilog SrunProlog SuspendExcNodes SuspendExcParts SuspendProgram SwitchParameters "
    "TaskEpilog TaskProlog TopologyParam UnkillableStepProgram X11Parameters"
)
"""Parameters of 22.05 that stand for nothing here."""
_AS_UNSET = {
    "AccountingStorageEnforce": "none",
    "AccountingStoragePort": "0",
    "AccountingStorageTRES": "cpu,mem,energy,node,billing,fs/disk,vmem,pages",
    "AccountingStorageUser": "N/A",
    "AcctGatherEnergyType": "acct_gather_energy/none",
    "AcctGatherFilesystemType": "acct_gather_filesystem/none",
    "AcctGatherInterconnectType": "acct_gather_interconnect/none",
    "AcctGatherNodeFreq": "0 sec",
    "AcctGatherProfileType": "acct_gather_profile/none",
    "AllowSpecResourcesUsage": "No",
    "BatchStartTimeout": "10 sec",
    "BcastExclude": "/lib,/usr/lib,/lib64,/usr/lib64",
    "CoreSpecPlugin": "core_spec/none",
    "CpuFreqDef": "Unknown",
    "CpuFreqGovernors": "OnDemand,Performance,UserSpace",
    "CredType": "cred/molokini",
    "DefMemPerNode": "UNLIMITED",
    "DisableRootJobs": "No",
    "EioTimeout": "60",
    "EnforcePartLimits": "ALL",
    "EpilogMsgTime": "2000 usec",
    "ExtSensorsFreq": "0 sec",
    "ExtSensorsType": "ext_sensors/none",
    "FirstJobId": "1",
    "GetEnvTimeout": "2 sec",
    "GpuFreqDef": "high,memory=high",
    "GroupUpdateForce": "1",
    "HASH_VAL": "Match",
    "HealthCheckInterval": "0 sec",
    "HealthCheckNodeState": "ANY",
    "InteractiveStepOptions": "--interactive --preserve-env --pty $SHELL",
    "JobAcctGatherFrequency": "30",
    "JobCompHost": "localhost",
    "JobCompLoc": "/var/log/slurm_jobcomp.log",
    "JobCompPort": "0",
    "JobCompType": "jobcomp/none",
    "JobCompUser": "root",
    "JobContainerType": "job_container/none",
    "LaunchType": "launch/slurm",
    "LogTimeFormat": "iso8601_ms",
    "MCSPlugin": "mcs/none",
    "MULTIPLE_SLURMD": "Yes",
    "MailProg": "/usr/bin/mail",
    "MaxDBDMsgs": "20000",
    "MaxMemPerNode": "UNLIMITED",
    "MaxTasksPerNode": "512",
    "MessageTimeout": "10 sec",
    "PowerPlugin": "",
    "PrEpPlugins": "prep/script",
    "PreemptExemptTime": "00:00:00",
    "PreemptType": "preempt/none",
    "PrivateData": "none",
    "PrologEpilogTimeout": "65534",
    "PropagatePrioProcess": "0",
    "PropagateResourceLimits": "ALL",
    "ResumeRate": "300 nodes/min",
    "ResumeTimeout": "60 sec",
    "ResvOverRun": "0 min",
    "ReturnToService": "2",
    "RoutePlugin": "route/default",
    "SchedulerTimeSlice": "30 sec",
    "SlurmSchedLogLevel": "0",
    "SlurmctldDebug": "info",
    "SlurmctldPort": "6817",
    "SlurmctldTimeout": "120 sec",
    "SlurmdDebug": "info",
    "SlurmdPort": "6818",
    "SlurmdTimeout": "300 sec",
    "SlurmdUser": "root(0)",
    "SrunPortRange": "0-0",
    "SuspendRate": "60 nodes/min",
    "SuspendTime": "INFINITE",
    "SuspendTimeout": "30 sec",
    "SwitchType": "switch/none",
    "TCPTimeout": "2 sec",
    "TaskPlugin": "task/none",
    "TaskPluginParam": "(null type)",
    "TmpFS": "/tmp",
    "TopologyPlugin": "topology/none",
    "TrackWCKey": "No",
    "TreeWidth": "50",
    "UsePam": "No",
    "VSizeFactor": "0 percent",
}
"""Others, with what a Slurm has that sets none of them."""


def lines(run: Invocation) -> list[str]:
    """Title, parameters in the order of the alphabet, and the state of the controller."""
    import os

    from molokini.compat.slurm.cluster import Clock
    from molokini.compat.slurm.times import shown

    cluster = run.transport.call("ClusterService", "GetCluster", {})
    policy = run.transport.call("ClusterService", "GetPolicy", {})
    host = os.uname().nodename
    state = os.path.dirname(getattr(run.transport, "path", "") or "") or "/var/spool/slurmctld"
    values = {
        **dict.fromkeys(_UNSET.split(), "(null)"),
        **_AS_UNSET,
        "BOOT_TIME": shown(0.0),
        "MaxNodeCount": str(cluster.get("nodes", 0) or 1),
        "NEXT_JOB_ID": "1",
        "PluginDir": os.path.dirname(os.path.abspath(__file__)),
        "SLURM_CONF": run.variables.get("SLURM_CONF", "/etc/slurm/slurm.conf"),
        "SlurmctldLogFile": "(null)",
        "SlurmctldPidFile": "/run/slurmctld.pid",
        "SlurmdLogFile": "(null)",
        "SlurmdPidFile": "/run/slurmd.pid",
        "SlurmdSpoolDir": "/var/spool/slurmd",
        "StateSaveLocation": state,
        "AccountingStorageHost": host,
        "AccountingStorageType": "accounting_storage/molokini",
        "AuthType": "auth/molokini",
        "ClusterName": cluster.get("name", "molokini"),
        "CompleteWait": "0 sec",
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
        "SchedulerType": f"sched/{policy.get('name', 'molokini')}",
        "SelectType": "select/cons_res",
        "SelectTypeParameters": "CR_CPU",
        "SLURM_VERSION": "22.05.8",
        "SlurmctldHost[0]": host,
        "SlurmUser": "root(0)",
        "UnkillableStepTimeout": "60 sec",
        "WaitTime": "0 sec",
    }
    if policy.get("name") == "slurm":
        _put_site(values, policy)
    now = shown(Clock(run).now_s)
    made = [f"Configuration data as of {now}"]
    made += [f"{name:<23} = {values[name]}" for name in sorted(values, key=str.lower)]
    return [*made, "", f"Slurmctld(primary) at {host} is UP"]


_OBJECTS = ("nodename", "partitionname", "nodeset", "downnodes", "frontendname")
"""With these begin lines that are no parameters."""


def _put_site(values: dict[str, str], policy: dict[str, Any]) -> None:
    """What Slurm's own policy has: its parameters, and on top what a slurm.conf says, as it is written."""
    import re

    of = policy.get("parameters", {})
    values |= {
        "SchedulerType": "sched/backfill" if float(of["bf_interval_s"]) >= 0 else "sched/builtin",
        "SelectType": f"select/{of['select_type']}",
        "PriorityType": f"priority/{of['priority_type']}",
        "PreemptType": f"preempt/{of['preempt_type']}",
        "PreemptMode": of["preempt_mode"].upper(),
        "EnforcePartLimits": "NO",
    }
    if of["priority_type"] == "multifactor":
        values |= {
            alias: f"{float(of[name]):.0f}"
            for name, alias in policy.get("called", {}).items()
            if name.startswith("priority_weight_") and "_tres_" not in name
        }
    known = {name.lower(): name for name in values}
    for line in policy.get("maui_config", "").splitlines():
        pairs = re.findall(r'([A-Za-z][\w.]*)\s*[+-]?=\s*(?:"([^"]*)"|(\S*))', line)
        if pairs and pairs[0][0].lower() not in _OBJECTS and " - " not in line.partition("=")[0]:
            values |= {known.get(key.lower(), key): quoted or plain for key, quoted, plain in pairs}
