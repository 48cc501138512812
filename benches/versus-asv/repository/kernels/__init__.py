"""Kernels in pure Python. Each does the same piece of work `units` times, so that 105 units for 100
are a change of 5 %."""
