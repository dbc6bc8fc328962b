"""An example of a parallel program: compute, exchange, and again; README.md tells what it is for."""
