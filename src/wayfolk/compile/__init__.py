"""Compiles kernels and keeps their machine code: the one package that knows numba."""
