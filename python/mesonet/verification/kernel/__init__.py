"""A real kernel and mesonet (Part K): scenarios, quantities, the frozen table, and equal runs in mesonet.

May import the ground, `mesonet.scenarios` and `mesonet.simulation`.

The measurement of the table is in ``verification/witness/kernel`` of the source tree.
"""
