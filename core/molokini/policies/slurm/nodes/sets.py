"""Sets of nodes as bits: those of partitions, those that are up, those that clean up after a job."""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.compiled.structs import Ints
from molokini.model.states import NodeState
from molokini.policies.slurm.configuration.line_layout import NODE_ROW, Part
from molokini.policies.slurm.configuration.parameters import parameters
from molokini.policies.slurm.knowledge.kept_state import mine
from molokini.policies.slurm.knowledge.who import part_row
from molokini.tables.sizes import NODES_A_WORD
from molokini.tables.tables import NEVER, View


@inner
def has(nodes: Ints, first: int, node: int) -> bool:
    """Whether the set that begins at *first* has *node*."""
    return bool(nodes[first + node // NODES_A_WORD] >> (node % NODES_A_WORD) & 1)


@inner
def put(nodes: Ints, first: int, node: int) -> None:
    """Put *node* into the set that begins at *first*."""
    nodes[first + node // NODES_A_WORD] |= 1 << (node % NODES_A_WORD)


@inner
def drop(nodes: Ints, first: int, node: int) -> None:
    """Take *node* out of the set that begins at *first*."""
    nodes[first + node // NODES_A_WORD] &= ~(1 << (node % NODES_A_WORD))


@kernel
def find_nodes(view: View) -> None:
    """Look up the nodes of partitions, and the order of nodes, where nodes are new."""
    seldom()
    words = (view.nodes.count + NODES_A_WORD - 1) // NODES_A_WORD
    view.site.node_plans.numbers = words
    if mine(view).nodes_known == view.nodes.count:
        return
    for k in range(int(parameters(view).partition_count) * words):
        view.site.node_plans.places[k] = 0
    for part in range(parameters(view).partition_count):
        at = part_row(view, part)
        first = int(view.parameters[at + Part.FIRST_NODE])
        if view.parameters[at + Part.ALL_NODES] != 0.0:
            for node in range(view.nodes.count):
                put(view.site.node_plans.places, part * words, node)
        else:
            for k in range(int(view.parameters[at + Part.NODE_COUNT])):
                put(view.site.node_plans.places, part * words, int(view.parameters[first + k]))
    for node in range(mine(view).nodes_known, view.nodes.count):
        for resource in range(view.nodes.free.shape[1]):
            view.site.node_plans.before[node, resource] = view.nodes.free[node, resource]
        view.site.node_plans.completing_s[node] = -NEVER
    _order(view)
    mine(view).nodes_known = view.nodes.count


@kernel
def _order(view: View) -> None:
    """Put nodes in order: light ones first, then by index. Note how many CPUs of each go together."""
    together = int(parameters(view).cpus_per_unit)
    mine(view).in_cores = 1 if together > 1 else 0
    for node in range(view.nodes.count):
        view.nodes.key[node] = 1.0
        view.nodes.row[node] = node
        view.site.node_plans.together[node] = together
    first = int(parameters(view).nodes)
    for k in range(parameters(view).node_count):
        node = int(view.parameters[first + k * NODE_ROW])
        view.nodes.key[node] = view.parameters[first + k * NODE_ROW + 1]
        index = int(view.parameters[first + k * NODE_ROW + 2])
        view.nodes.row[node] = index if index >= 0 else node
        own = int(view.parameters[first + k * NODE_ROW + 3])
        if own > 0:
            view.site.node_plans.together[node] = min(own, together)
    for k in range(view.nodes.count):
        node, place = k, k
        while place > 0 and _goes_before(view, node, int(view.nodes.order[place - 1])):
            view.nodes.order[place] = view.nodes.order[place - 1]
            place -= 1
        view.nodes.order[place] = node
    mine(view).in_order = 1
    for word in range(view.site.node_plans.numbers):
        view.site.node_plans.follows[word] = 0
    for k in range(view.nodes.count):
        if view.nodes.order[k] != k:
            mine(view).in_order = 0
        alike = k > 0 and view.nodes.key[k] == view.nodes.key[k - 1]
        if alike and view.nodes.row[k] == view.nodes.row[k - 1] + 1:
            put(view.site.node_plans.follows, 0, k)


@inner
def _goes_before(view: View, one: int, other: int) -> bool:
    if view.nodes.key[one] != view.nodes.key[other]:
        return bool(view.nodes.key[one] < view.nodes.key[other])
    if view.nodes.row[one] != view.nodes.row[other]:
        return bool(view.nodes.row[one] < view.nodes.row[other])
    return one < other


@kernel
def note_completing(view: View, now: float) -> None:
    """Nodes on which more is free than after the last pass clean up: a job has ended there."""
    for node in range(view.nodes.count):
        for resource in range(view.nodes.free.shape[1]):
            if view.nodes.free[node, resource] > view.site.node_plans.before[node, resource]:
                view.site.node_plans.completing_s[node] = now + parameters(view).completing_s


@kernel
def note_free(view: View) -> None:
    """Remember what is free at the end of this pass."""
    for node in range(view.nodes.count):
        for resource in range(view.nodes.free.shape[1]):
            view.site.node_plans.before[node, resource] = view.nodes.free[node, resource]


@kernel
def find_up(view: View, now: float) -> None:
    """The nodes that take work, and of those that nobody cleans up."""
    for word in range(view.site.node_plans.numbers):
        view.site.node_plans.up[word] = 0
        view.site.node_plans.open[word] = 0
    for node in range(view.nodes.count):
        if view.nodes.state[node] == NodeState.UP:
            put(view.site.node_plans.up, 0, node)
            if view.site.node_plans.completing_s[node] <= now:
                put(view.site.node_plans.open, 0, node)


@kernel
def close(view: View, part: int) -> None:
    """Take all nodes of a partition out of the open ones."""
    words = view.site.node_plans.numbers
    for word in range(words):
        view.site.node_plans.open[word] &= ~view.site.node_plans.places[part * words + word]


@kernel
def open_of(view: View, part: int) -> int:
    """``base`` is what is open of a partition; whether there is anything."""
    words, found = view.site.node_plans.numbers, 0
    for word in range(words):
        view.site.node_plans.base[word] = (
            view.site.node_plans.open[word] & view.site.node_plans.places[part * words + word]
        )
        found |= view.site.node_plans.base[word]
    return int(found != 0)


@kernel
def up_of(view: View, part: int) -> None:
    """``base`` is what is up of a partition."""
    words = view.site.node_plans.numbers
    for word in range(words):
        view.site.node_plans.base[word] = (
            view.site.node_plans.up[word] & view.site.node_plans.places[part * words + word]
        )
