"""B22, B23: the whole table of who may do what, and that nobody grants more than he holds."""

import pytest

from molokini.server.security.permissions import (
    Action,
    NoSuchJob,
    NotAllowed,
    may,
    may_grant,
    require,
)
from molokini.server.security.roles import Caller, Role

USER, OPERATOR, ADMINISTRATOR, NODE = Role.USER, Role.OPERATOR, Role.ADMINISTRATOR, Role.NODE
ALICE, BOB = Caller("alice", USER), Caller("bob", USER)
OLGA, ROOT = Caller("olga", OPERATOR), Caller("root", ADMINISTRATOR)
N1 = Caller("n1", NODE)

OWN = ["VIEW", "READ", "CANCEL", "HOLD", "RELEASE", "ALTER", "SIGNAL", "REQUEUE", "SUSPEND", "RESUME"]
OWN += ["SET_RATE"]
OPERATORS = ["OPERATOR_HOLD", "START", "CHANGE_NODES", "OPEN_QUEUE", "REFUND", "ISSUE_TOKENS", "SLICE"]
ADMINISTRATORS = ["SYSTEM_HOLD", "DEFINE_QUEUE", "SET_POLICY", "CHANGE_CLOCK", "RESERVE", "BOOK"]
ADMINISTRATORS += ["CHANGE_SCHEDULING", "RESET_STATISTICS"]


def test_the_table_is_whole() -> None:
    assert sorted([*OWN, *OPERATORS, *ADMINISTRATORS]) == sorted(one.name for one in Action)


@pytest.mark.parametrize("name", OWN)
def test_users_do_it_to_their_own_jobs_alone(name: str) -> None:
    action = Action[name]
    assert may(ALICE, action, "alice") is None
    assert (may(BOB, action, "alice") is None) == (action is Action.VIEW)
    assert may(OLGA, action, "alice") is None
    assert may(ROOT, action, "alice") is None
    assert may(N1, action, "n1") is not None


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_do_it_to_everything(name: str) -> None:
    assert may(ALICE, Action[name], "alice") is not None
    assert may(ALICE, Action[name]) is not None
    assert may(OLGA, Action[name], "alice") is None
    assert may(ROOT, Action[name]) is None
    assert may(N1, Action[name]) is not None


@pytest.mark.parametrize("name", ADMINISTRATORS)
def test_administrators_alone_do_it(name: str) -> None:
    assert [may(one, Action[name]) is None for one in (ALICE, OLGA, ROOT, N1)] == [False, False, True, False]


@pytest.mark.parametrize("other", ["alic", "alice2", "Alice", "alice ", ""])
def test_names_are_compared_whole(other: str) -> None:
    assert may(Caller(other, USER), Action.CANCEL, "alice") is not None


def test_with_privacy_the_jobs_of_others_do_not_exist() -> None:
    for action in Action:
        refusal = may(BOB, action, "alice", privacy=True)
        assert refusal is not None
        assert refusal.hidden
        assert "alice" not in refusal.text
    assert may(ALICE, Action.VIEW, "alice", privacy=True) is None
    assert may(OLGA, Action.VIEW, "alice", privacy=True) is None
    own = may(ALICE, Action.OPERATOR_HOLD, "alice", privacy=True)
    assert own is not None
    assert not own.hidden


def test_what_is_raised() -> None:
    with pytest.raises(NoSuchJob, match=r"^no job 17$"):
        require(BOB, Action.CANCEL, "alice", privacy=True, job_id=17)
    with pytest.raises(
        NotAllowed, match="bob has the role user; to cancel a job of alice needs the role oper"
    ):
        require(BOB, Action.CANCEL, "alice")
    with pytest.raises(NotAllowed, match="to set the policy needs the role administrator"):
        require(OLGA, Action.SET_POLICY)
    require(ALICE, Action.CANCEL, "alice")


@pytest.mark.parametrize("caller", [ALICE, OLGA, ROOT, N1])
@pytest.mark.parametrize("role", list(Role))
def test_nobody_grants_more_than_he_holds(caller: Caller, role: Role) -> None:
    allowed = {
        USER: {USER},
        OPERATOR: {USER, OPERATOR},
        ADMINISTRATOR: set(Role),
        NODE: set(),
    }[caller.role]
    assert (may_grant(caller, caller.name, role) is None) == (role in allowed)
    # Another name is another user of the nodes: whatever the role, it is an administrator's to give.
    assert (may_grant(caller, "carol", role) is None) == (caller is ROOT)


def test_a_node_of_an_owners_name_does_not_hear_of_his_jobs() -> None:
    refusal = may(Caller("alice", NODE), Action.VIEW, "alice", privacy=True)
    assert refusal is not None
    assert refusal.hidden
