"""What the policies for several clusters let their users choose: how clusters are picked and filled."""

from dataclasses import replace

from molokini.availability.clusters import FITS, SPREADS
from molokini.compiled.compilation import kernel
from molokini.model.policy import Parameter
from molokini.tables.tables import View
from molokini.tables.workspace import Choice, Parameters, parameter


class ClusterChoice(Parameters):
    """How clusters are chosen; a policy with parameters of its own inherits these as the first."""

    fit: Choice = parameter(
        FITS[0],
        "which cluster a component gets: the emptiest, the first, or the fullest that has room",
        choices=FITS,
        source="Bucur and Epema, JSSPP 2001, section 2.5",
    )
    spread: Choice = parameter(
        SPREADS[0],
        "how a flexible request is split: clusters are left equally idle, or all but one are filled",
        choices=SPREADS,
        source="Bucur and Epema, JSSPP 2001, section 2.5",
    )


chosen = ClusterChoice.of


def among_others(parameters: tuple[Parameter, ...]) -> tuple[Parameter, ...]:
    """*parameters* of a policy that is mostly run without clusters: their choice is ``rare`` there."""
    names = [one.name for one in ClusterChoice.declared()]
    return tuple(replace(one, rare=True) if one.name in names else one for one in parameters)


@kernel
def take_choice(view: View) -> None:
    """Place jobs as the user has chosen."""
    view.clusters.fit = chosen(view).fit
    view.clusters.filling = chosen(view).spread
