"""How Python becomes fast: structs behind one pointer, and kernels compiled by numba."""
