"""What may be asked of the server in a turn, and what a turn is about to make of it."""

import asyncio
from abc import ABC, abstractmethod
from collections import Counter
from typing import Any

from molokini.model.facts import Fact, PartEnded
from molokini.model.ranks import Rank
from molokini.server.state.state import State


class Draft:
    """The facts that a turn will commit, and what must be known of them before they are applied."""

    def __init__(self, state: State, now: float) -> None:
        self.facts: list[Fact] = []
        self.now = now
        """The instant of the turn, at which all of it will have happened."""
        self.next_id = state.next_id
        self.keys: dict[tuple[str, str], int] = {}
        self.touched: set[int] = set()
        """Jobs that a fact of this draft changes: a second command about them waits for the next turn."""
        self.ending: set[int] = set()
        """Those of them that ends of attempts alone change: more of their elements may end in it."""
        self.ended: set[tuple[int, int]] = set()
        """Elements of which this draft ends an attempt."""
        self.ended_parts: dict[tuple[int, int], list[PartEnded]] = {}
        """Parts of attempts that this draft ends, while other parts go on."""
        self.submitted: Counter[tuple[str, str]] = Counter()
        """Jobs that this draft brings, counted as ``State.open_counts`` counts, for limits."""
        self.pledged: Counter[int] = Counter()
        """What accounts, by row, have to set aside for what this draft changes."""
        self.resuming = False
        """Whether a command of this draft takes room."""
        self.adds_nodes = False
        """Whether this draft adds nodes: the next turn must check again what the machine can hold."""
        self.other_policy = False
        """Whether this draft changes the policy: the next turn must check again which jobs it takes."""
        self.other_nodes = False
        """Whether this draft gives a queue other nodes: the next turn must check what these can hold."""

    def repeats_admission(self, state: State) -> bool:
        """Whether admission checks must be repeated in the next turn."""
        first_nodes = self.adds_nodes and not state.machine.nodes
        return self.other_policy or self.other_nodes or first_nodes


class RetryNextTurn(Exception):
    """The command is about a job that this turn changes already; it is to be checked again in the next."""


class Command(ABC):
    """One wish. ``check`` adds facts to the draft and returns the answer, or raises a MolokiniError."""

    rank = Rank.COMMAND
    order: tuple[int, int] = (0, 0)
    """Job number and array index: the order within a rank and instant."""

    answer: asyncio.Future[Any] | None = None
    settled = False
    """Checked, and its facts in a draft that is about to be committed."""
    result: Any = None
    after_pass = False
    """Answered when the pass of its turn has decided, too, and not as soon as it is durable."""

    @abstractmethod
    def check(self, state: State, draft: Draft) -> Any:
        """Look, and write what is to happen into *draft*; change nothing."""
