"""Estimates that depend on the run time alone: the f-model, the phi model, a multiple."""

import numpy as np

from molokini.workloads.workload import Floats


def f_model(generator: np.random.Generator, run_s: Floats, f: float) -> Floats:
    """Uniform from the run time to 1 + *f* times it."""
    return np.asarray(run_s * (1.0 + f * generator.random(run_s.size)))


def phi_model(generator: np.random.Generator, run_s: Floats, phi: float) -> Floats:
    """A share *phi* of jobs ends at the request, the others at a uniform part of it.

    Zhang, Franke, Moreira, Sivasubramaniam (JSSPP 2001), section on overestimation: with y uniform, request
    over run time is 1 below *phi* and (1 - phi)/(1 - y) from there on, without a bound.
    """
    y = generator.random(run_s.size)
    return np.asarray(run_s * np.where(y < phi, 1.0, (1.0 - phi) / (1.0 - y)))
