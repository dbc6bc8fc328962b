"""Limits of many credentials and pairs at once: each counts by itself."""

from molokini.model.credentials import CredentialType
from molokini.model.machine import Machine
from molokini.policies import load_policy
from molokini.policies.maui.configuration.settings import Credential, Limit, MauiSettings, PairLimit
from molokini.policies.maui.configuration.vector import by_number, vector_of
from molokini.policies.maui.configuration.words import LimitKind
from molokini.sim.replay import Options, Replay
from tests.kit.workloads import Job, workload_of

MANY = 16
APART = 1 << 16
"""Numbers so far apart are looked up at one place of any table of scopes."""


def test_each_of_many_pairs_has_a_limit_of_its_own() -> None:
    """One user, of whom one job may run in each of many classes at a time."""
    pair = PairLimit(LimitKind.JOBS, CredentialType.QUEUE, Limit(1, 1))
    workload = workload_of([*[Job(0, 100, 1)] * MANY, Job(1, 10, 1)])
    workload.queue[:] = [APART * k for k in (*range(1, MANY + 1), MANY)]
    made = MauiSettings(users={"1": Credential(pairs=(pair,))})
    options = Options(parameters=vector_of(made, by_number), interpreted=True)
    replay = Replay(workload, Machine.counted(2 * MANY), load_policy("maui"), options=options)
    replay.run()
    assert replay.schedule().start_s.tolist() == [0] * MANY + [100]


def test_each_of_many_users_has_a_limit_of_his_own() -> None:
    workload = workload_of([Job(0, 100, 1, user=APART * (1 + k % MANY)) for k in range(MANY + 1)])
    made = MauiSettings(users={"DEFAULT": Credential(active={LimitKind.JOBS: Limit(1, 1)})})
    options = Options(parameters=vector_of(made, by_number), interpreted=True)
    replay = Replay(workload, Machine.counted(2 * MANY), load_policy("maui"), options=options)
    replay.run()
    assert replay.schedule().start_s.tolist() == [0] * MANY + [100]
