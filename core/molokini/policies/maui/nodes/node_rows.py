"""What the settings say of each node: its own line of NODECFG, or DEFAULT's."""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.policies.maui.configuration.parameters import HEADER, parameters
from molokini.policies.maui.configuration.slots import NODE_ROW, NodeColumn
from molokini.policies.maui.knowledge.memory import mine
from molokini.tables.tables import View


@inner
def node_setting(view: View, node: int, column: int) -> float:
    """A setting of *node*; 0 where the settings name no nodes."""
    first = view.nodes.row[node]
    return float(view.parameters[first + column]) if first >= 0 else 0.0


@inner
def find_node_rows(view: View) -> None:
    """An iteration begins: find the rows of all nodes, if they are not known (then ``NODES_NEW`` is 1)."""
    mine(view).nodes_new = 0
    if view.nodes.count > 0 and (mine(view).begun or mine(view).nodes_found != view.nodes.count):
        _find_node_rows(view)


@kernel
def _find_node_rows(view: View) -> None:
    seldom()
    mine(view).nodes_new, mine(view).nodes_found = 1, view.nodes.count
    written = view.parameters.size > HEADER
    for node in range(view.nodes.count):
        view.nodes.row[node] = parameters(view).nodes if written else -1
    if written:
        for k in range(1, parameters(view).node_count):
            row = parameters(view).nodes + k * NODE_ROW
            node = int(view.parameters[row + NodeColumn.NUMBER])
            if node < view.nodes.count:
                view.nodes.row[node] = row
