"""What the settings say of each node: its own line of NODECFG, or DEFAULT's."""

from molokini.policies.maui.memory import BEGUN, NODES_FOUND
from molokini.policies.maui.slots import HEADER, NODE_ROW, Directory, NodeColumn
from molokini.scheduling.compilation import inner, kernel, seldom
from molokini.scheduling.tables import View

_NODES = HEADER + int(Directory.NODES)
_COUNT = HEADER + int(Directory.NODE_COUNT)
_NUMBER = int(NodeColumn.NUMBER)


@inner
def node_setting(view: View, node: int, column: int) -> float:
    """A setting of *node*; 0 where nothing is said of any."""
    first = view.node_row[node]
    return float(view.parameters[first + column]) if first >= 0 else 0.0


@kernel
def find_node_rows(view: View) -> None:
    """Find the rows of all nodes, if they are not known."""
    seldom()
    if not view.global_i[BEGUN] and view.global_i[NODES_FOUND] == view.nodes:
        return
    written = view.parameters.size > HEADER
    for node in range(view.nodes):
        view.node_row[node] = int(view.parameters[_NODES]) if written else -1
    if written:
        for k in range(1, int(view.parameters[_COUNT])):
            row = int(view.parameters[_NODES]) + k * NODE_ROW
            node = int(view.parameters[row + _NUMBER])
            if node < view.nodes:
                view.node_row[node] = row
