"""A real kernel and mesonet (Part K): scenarios, quantities, the frozen table, and equal runs in mesonet.

How the table was measured stands in ``verification/witness/kernel`` of the source tree.
"""
