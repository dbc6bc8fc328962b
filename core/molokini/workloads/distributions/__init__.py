"""Distributions of one positive quantity by name: moments, quantiles, draws, fits.

Each is a frozen dataclass; all have the face of ``Distribution``. scipy is loaded when one needs a special
function, not before.
"""

from molokini.workloads.distributions.base import Distribution as Distribution
from molokini.workloads.distributions.erlang import HyperErlang as HyperErlang
from molokini.workloads.distributions.fitting import FEWEST_TO_FIT as FEWEST_TO_FIT
from molokini.workloads.distributions.mixtures import H2 as H2
from molokini.workloads.distributions.mixtures import H3 as H3
from molokini.workloads.distributions.mixtures import HyperGamma as HyperGamma
from molokini.workloads.distributions.mixtures import LogHyperGamma as LogHyperGamma
from molokini.workloads.distributions.pareto import BoundedPareto as BoundedPareto
from molokini.workloads.distributions.pareto import Pareto as Pareto
from molokini.workloads.distributions.pieces import LogUniform as LogUniform
from molokini.workloads.distributions.plain import Exponential as Exponential
from molokini.workloads.distributions.plain import Gamma as Gamma
from molokini.workloads.distributions.plain import LogNormal as LogNormal
from molokini.workloads.distributions.plain import Weibull as Weibull

DISTRIBUTIONS: dict[str, type[Distribution]] = {
    one.NAME: one
    for one in (
        *(Exponential, Gamma, Weibull, LogNormal, Pareto, BoundedPareto, LogUniform),
        *(H2, H3, HyperErlang, HyperGamma, LogHyperGamma),
    )
}
"""Every distribution by the name that files and messages use."""
