"""A picture of a small schedule under the policy maui, for reports and their tables."""

from typing import Any

from molokini.model.credentials import CredentialType
from molokini.policies.maui.configuration.settings import Credential, MauiSettings, Qos, Target, Weight
from molokini.policies.maui.configuration.words import Charge, Component, Factor
from molokini.reports.snapshot import ClusterSnapshot
from molokini.reports.stopped import picture_of
from tests.kit.maui import NAMES, QOS_NUMBERS, Whose, maui
from tests.kit.workloads import Job

# One fills six of eight processors up to 100; the second has to wait for it; the third was backfilled.
JOBS = (Job(0, 100, 6), Job(10, 50, 8), Job(20, 30, 2))
WHOSE = (Whose("ann"), Whose("bob"), Whose("ann", qos="high"))
SETTINGS = MauiSettings(
    users={
        "ann": Credential(target=Target(50), priority=3),
        "bob": Credential(target=Target(30), priority=7),
    },
    qos={"high": Qos(priority=100)},
    groups={"staff": Credential(qos_list=("high",))},
    components={Component.FAIRSHARE: Weight(2), Component.CREDENTIAL: Weight(1)},
    factors={Factor.FAIRSHARE_USER: Weight(1), Factor.USER: Weight(10), Factor.QUEUE_TIME: Weight(60)},
    chosen={
        "fairshare": Charge.DEDICATED_PROCESSOR_SECONDS,
        "fairshare_interval_s": 50.0,
        "fairshare_depth": 3,
        "fairshare_decay": 0.5,
        "negative_priority": True,
        "reject_negative": False,
    },
)
NUMBERS = dict.fromkeys(CredentialType, NAMES) | {CredentialType.QOS: QOS_NUMBERS}


def picture(now: float = 60.0, settings: MauiSettings = SETTINGS, **options: Any) -> ClusterSnapshot:
    """The replay of the jobs above, stopped at *now*."""
    replay = maui(JOBS, settings, WHOSE, **options)
    replay.run(now)
    return picture_of(replay, now, NUMBERS)
