"""A real kernel beside mesonet (Part K): scenarios, quantities, the frozen table, and the same runs in mesonet.

How the table was measured stands in ``verification/witness/kernel`` of the source tree.
"""
