"""Fast Python: structs behind one pointer, and kernels compiled by numba."""
