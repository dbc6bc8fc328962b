"""What the policies for several clusters let their users choose: how clusters are picked and filled."""

from molokini.compiled.compilation import kernel
from molokini.model.policy import Kind, Parameter
from molokini.room.clusters import FITS, SPREADS
from molokini.tables.tables import View

PARAMETERS = (
    Parameter(
        "fit",
        FITS[0],
        "which cluster a component gets: the emptiest, the first, or the fullest that has room",
        Kind.CHOICE,
        choices=FITS,
        source="Bucur and Epema, JSSPP 2001, section 2.5",
    ),
    Parameter(
        "spread",
        SPREADS[0],
        "how a flexible request lies on its clusters: equally idle ones are left, or all but one are filled",
        Kind.CHOICE,
        choices=SPREADS,
        source="Bucur and Epema, JSSPP 2001, section 2.5",
    ),
)


@kernel
def take_choice(view: View) -> None:
    """Place jobs as the first two parameters, which are those above, say."""
    view.cluster_fit = int(view.parameters[0])
    view.cluster_filling = int(view.parameters[1])
