"""One agent of a name, for a server, on a machine: the kernel knows whether it lives."""

import os
import signal
import subprocess
import sys

import pytest

from molokini.agents.identity import AgentRuns, Identity, claim_identity
from tests.kit.waiting import waited
from tests.torture.real_processes import ROOTS

_HOLDER = """
import sys
from molokini.agents.identity import claim_identity
claimed = claim_identity(*sys.argv[1:])
print(claimed.name, flush=True)
sys.stdin.read()
"""


def claimed(agent: str, server: str = "h:1") -> Identity:
    identity = claim_identity(f"{agent}-{os.getpid()}", server)
    assert identity is not None
    return identity


def test_the_second_is_refused_with_a_line_that_names_the_first() -> None:
    first = claimed("one")
    with pytest.raises(AgentRuns) as caught:
        claimed("one")
    text = str(caught.value)
    assert f"runs on this machine already, as process {os.getpid()}: give this one another --name" in text
    assert "\n" not in text
    first.claim.close()
    second = claimed("one")
    assert second.name == first.name
    second.claim.close()


def test_as_many_copies_as_like_are_refused_by_the_name_of_the_first() -> None:
    """Each leaves its question in a queue of the kernel, which holds 128 of them or fewer."""
    first = claimed("one")
    for _ in range(3):
        for _ in range(100):
            with pytest.raises(AgentRuns, match=f"as process {os.getpid()}:"):
                claimed("one")
        first.answer()
    first.claim.close()


def test_other_names_and_other_servers_are_others() -> None:
    several = [claimed("one"), claimed("two"), claimed("one", "h:2")]
    assert len({one.name for one in several}) == 3
    assert all("/" not in one.name for one in several)
    for one in several:
        one.claim.close()


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_the_claim_of_a_process_goes_with_it_and_the_next_is_the_same_agent(end: signal.Signals) -> None:
    agent = f"held-{os.getpid()}"
    command = [sys.executable, "-c", _HOLDER, agent, "h:1"]
    environment = {**os.environ, "PYTHONPATH": ROOTS}
    with subprocess.Popen(command, stdin=-1, stdout=-1, text=True, env=environment) as holder:
        assert holder.stdout is not None
        name = holder.stdout.readline().strip()
        # A process that is stopped lives.
        os.kill(holder.pid, signal.SIGSTOP)
        with pytest.raises(AgentRuns, match=f"as process {holder.pid}:"):
            claim_identity(agent, "h:1")
        os.kill(holder.pid, end)
        os.kill(holder.pid, signal.SIGCONT)
        holder.wait(30)
    found: list[Identity] = []

    def free() -> bool:
        found.extend(one for one in [claim_identity(agent, "h:1")] if one is not None)
        return bool(found)

    waited(free)
    assert found[0].name == name
    found[0].claim.close()


def test_a_name_of_another_user_gives_no_identity_and_no_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    """No user keeps another's agents from starting by taking their names."""
    somebody = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: somebody)
    taken = claimed("one")
    # The kernel knows whose process it is.
    assert claim_identity(f"one-{os.getpid()}", "h:1") is None
    taken.claim.close()
