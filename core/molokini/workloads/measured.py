"""Measured times of a red-black Gauss-Seidel solver on the DAS: Bucur and Epema, JSSPP 2001, Table 2.

Each of its iterations updates all points and then exchanges the borders. Ranges are over the processes of
a run.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Measured:
    """One division of the domain; times of one iteration, (least, most)."""

    iterations: int
    update_s: tuple[float, float]
    inside_s: tuple[float, float]
    """The exchange of borders inside one cluster."""
    between_s: tuple[float, float]
    """The same with the processes evenly on four clusters."""


BORDERS_4X2 = Measured(2436, (0.953e-3, 0.972e-3), (0.408e-3, 0.450e-3), (5.9e-3, 7.3e-3))
BORDERS_4X4 = Measured(2132, (0.480e-3, 0.515e-3), (0.350e-3, 0.425e-3), (6.3e-3, 7.7e-3))
