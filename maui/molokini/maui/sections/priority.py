"""The weights and caps of a job's priority (Jackson, Snell and Clement 2001, section 5), and what ages."""

import re
from typing import Annotated, Any

from molokini.maui.fields import Cap, Real, SecondsOrNone, Section, Yes, parameter
from molokini.maui.kinds import Choice
from molokini.maui.sections.reasons import PARTITIONS, PREEMPTION
from molokini.maui.values import ComponentWeight, Weight
from molokini.policies.maui.configuration.words import Accrual, Factor

Component = Annotated[Weight, ComponentWeight()]


def field_of(factor: Factor) -> str:
    """The field of the weight of *factor*, or (of a class) what its cap's begins with."""
    return re.sub("queue$", "class", factor.name.lower())


def _component(name: str, weight: float, of: str, *aliases: str, without: str = "") -> Any:
    return parameter(name, Weight(weight), f"Weight of the component {of}.", aliases=aliases, without=without)


def _weight(name: str, of: str, *aliases: str, default: float = 0.0, without: str = "") -> Any:
    return parameter(name, default, f"Weight of {of}.", aliases=aliases, without=without)


def _cap(name: str, of: str, *aliases: str, without: str = "") -> Any:
    return parameter(
        name,
        0.0,
        f"Cap on {of}, before the weight; 0 is none.",
        aliases=aliases,
        without=without,
    )


_ATTRIBUTES = "jobs have no such attributes"


class Priority(Section):
    """How important a job is: components, each a weighted and capped sum of factors."""

    service: Component = _component("SERVICEWEIGHT", 1, "service (how long the job has waited)", "SERVWEIGHT")
    service_cap: Cap = _cap("SERVICECAP", "the service component", "SERVICEWCAP", "SERVCAP")
    target: Component = _component(
        "TARGETWEIGHT", 1, "target (how near the job is to the targets of its QOS)", "TARGWEIGHT"
    )
    target_cap: Cap = _cap("TARGETCAP", "the target component", "TARGCAP")
    credential: Component = _component(
        "CREDWEIGHT", 1, "credential (the priorities of credentials)", "DIRECTSPECWEIGHT"
    )
    credential_cap: Cap = _cap("CREDCAP", "the credential component", "DIRECTSPECCAP")
    fairshare: Component = _component("FSWEIGHT", 1, "fairshare", "FAIRSHAREWEIGHT")
    fairshare_cap: Cap = _cap("FSCAP", "the fairshare component", "FAIRSHARECAP")
    resource: Component = _component("RESWEIGHT", 1, "resource (what the job asks for)", "RESOURCEWEIGHT")
    resource_cap: Cap = _cap("RESCAP", "the resource component", "RESOURCECAP")
    usage: Component = _component("USAGEWEIGHT", 0, "usage (what a running job has used)", without=PREEMPTION)
    usage_cap: Cap = _cap("USAGECAP", "usage", without=PREEMPTION)
    attribute: Component = _component("ATTRWEIGHT", 0, "attribute", without=_ATTRIBUTES)
    attribute_cap: Cap = _cap("ATTRCAP", "attributes", without=_ATTRIBUTES)

    queue_time: Real = _weight("QUEUETIMEWEIGHT", "minutes of queue time", default=1.0)
    queue_time_cap: Cap = _cap("QUEUETIMECAP", "queue time")
    expansion_factor: Real = _weight("XFACTORWEIGHT", "the expansion factor", "XFWEIGHT")
    expansion_factor_cap: Cap = _cap("XFACTORCAP", "the expansion factor", "XFCAP")
    soft_violation: Real = _weight("SPVIOLATIONWEIGHT", "violating a soft limit")
    soft_violation_cap: Cap = _cap("SPVIOLATIONCAP", "violating a soft limit")
    bypass: Real = _weight("BYPASSWEIGHT", "jobs of lower priority that were backfilled past the job")
    bypass_cap: Cap = _cap("BYPASSCAP", "the bypass count")
    target_queue_time: Real = _weight(
        "TARGETQUEUETIMEWEIGHT", "nearing the queue time target", "TARGQUEUETIMEWEIGHT"
    )
    target_queue_time_cap: Cap = _cap("TARGETQUEUETIMECAP", "nearing the queue time target")
    target_expansion_factor: Real = _weight(
        "TARGETXFACTORWEIGHT", "nearing the expansion factor target", "TARGXFACTORWEIGHT"
    )
    target_expansion_factor_cap: Cap = _cap("TARGETXFACTORCAP", "nearing the expansion factor target")
    user: Real = _weight("USERWEIGHT", "the priority of the job's user")
    user_cap: Cap = _cap("USERCAP", "the user's priority")
    group: Real = _weight("GROUPWEIGHT", "the priority of the job's group")
    group_cap: Cap = _cap("GROUPCAP", "the group's priority")
    account: Real = _weight("ACCOUNTWEIGHT", "the priority of the job's account")
    account_cap: Cap = _cap("ACCOUNTCAP", "the account's priority")
    qos: Real = _weight("QOSWEIGHT", "the priority of the job's QOS")
    qos_cap: Cap = _cap("QOSCAP", "the QOS's priority")
    class_: Real = _weight("CLASSWEIGHT", "the priority of the job's class")
    class_cap: Cap = _cap("CLASSCAP", "the class's priority")
    fairshare_user: Real = _weight("FSUSERWEIGHT", "the user's fairshare delta", "UFSWEIGHT", "USERFSWEIGHT")
    fairshare_user_cap: Cap = _cap("FSUSERCAP", "the user's fairshare delta", "UFSCAP")
    fairshare_group: Real = _weight(
        "FSGROUPWEIGHT", "the group's fairshare delta", "GFSWEIGHT", "GROUPFSWEIGHT"
    )
    fairshare_group_cap: Cap = _cap("FSGROUPCAP", "the group's fairshare delta", "GFSCAP")
    fairshare_account: Real = _weight(
        "FSACCOUNTWEIGHT", "the account's fairshare delta", "AFSWEIGHT", "ACCOUNTFSWEIGHT"
    )
    fairshare_account_cap: Cap = _cap("FSACCOUNTCAP", "the account's fairshare delta", "AFSCAP")
    fairshare_qos: Real = _weight("FSQOSWEIGHT", "the QOS's fairshare delta", "QFSWEIGHT", "QOSFSWEIGHT")
    fairshare_qos_cap: Cap = _cap("FSQOSCAP", "the QOS's fairshare delta", "QFSCAP")
    fairshare_class: Real = _weight(
        "FSCLASSWEIGHT", "the class's fairshare delta", "CFSWEIGHT", "CLASSFSWEIGHT"
    )
    fairshare_class_cap: Cap = _cap("FSCLASSCAP", "the class's fairshare delta", "CFSCAP")
    nodes: Real = _weight("NODEWEIGHT", "nodes that the job asks for")
    nodes_cap: Cap = _cap("NODECAP", "nodes")
    processors: Real = _weight("PROCWEIGHT", "processors that the job asks for")
    processors_cap: Cap = _cap("PROCCAP", "processors")
    memory: Real = _weight("MEMWEIGHT", "megabytes of memory that the job asks for")
    memory_cap: Cap = _cap("MEMCAP", "memory")
    swap: Real = _weight("SWAPWEIGHT", "megabytes of swap that the job asks for")
    swap_cap: Cap = _cap("SWAPCAP", "swap")
    disk: Real = _weight("DISKWEIGHT", "megabytes of disk that the job asks for")
    disk_cap: Cap = _cap("DISKCAP", "disk")
    processor_seconds: Real = _weight("PSWEIGHT", "processor-seconds that the job asks for")
    processor_seconds_cap: Cap = _cap("PSCAP", "processor-seconds")
    processor_equivalents: Real = _weight("PEWEIGHT", "processor equivalents that the job asks for")
    processor_equivalents_cap: Cap = _cap("PECAP", "processor equivalents")
    user_processors: Real = _weight("UPROCWEIGHT", "processors that the user's active jobs have")
    user_jobs: Real = _weight("UJOBWEIGHT", "active jobs of the user")
    wall_time: Real = _weight("WALLTIMEWEIGHT", "seconds of wall time that the job asks for")
    wall_time_cap: Cap = _cap("WALLTIMECAP", "wall time")
    consumed: Real = _weight(
        "CONSUMEDWEIGHT", "processor-seconds that a running job has used", without=PREEMPTION
    )
    consumed_cap: Cap = _cap("CONSUMEDCAP", "what a running job has used", without=PREEMPTION)
    remaining: Real = _weight(
        "REMAININGWEIGHT", "processor-seconds that a running job has left", without=PREEMPTION
    )
    remaining_cap: Cap = _cap("REMAININGCAP", "what a running job has left", without=PREEMPTION)
    percent: Real = _weight(
        "PERCENTWEIGHT", "percent of its wall time that a running job has used", without=PREEMPTION
    )
    percent_cap: Cap = _cap("PERCENTCAP", "the used percentage", without=PREEMPTION)
    execution_time: Real = _weight(
        "USAGEEXECUTIONTIMEWEIGHT", "seconds that a running job has run", without=PREEMPTION
    )
    execution_time_cap: Cap = _cap("USAGEEXECUTIONTIMECAP", "the time that a job has run", without=PREEMPTION)

    by_partition: dict[str, dict[str, Real]] = parameter(
        "", {}, "Weights and caps of single partitions, by the names above.", without=PARTITIONS
    )
    accrual: Annotated[Accrual, Choice(Accrual)] = parameter(
        "JOBPRIOACCRUALPOLICY",
        Accrual.QUEUE_POLICY,
        "Whether jobs gather queue time always, not while a limit blocks them, or not while anything does.",
    )
    system_queue_time: Yes = parameter(
        "USESYSTEMQUEUETIME",
        False,
        "Count queue time from when nothing blocked the job; older than JOBPRIOACCRUALPOLICY.",
    )
    negative: Yes = parameter("ENABLENEGJOBPRIORITY", False, "Let priorities be negative.")
    reject_negative: Yes = parameter(
        "REJECTNEGPRIOJOBS",
        False,
        "Do not start jobs whose priority is negative; without this and ENABLENEGJOBPRIORITY the least "
        "priority is 1.",
    )
    least_wall_time_s: SecondsOrNone = parameter(
        "XFMINWCLIMIT", -1, "Wall times below this count as this in expansion factors; -1 is none."
    )
