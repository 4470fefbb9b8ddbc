"""The folder that ``mesonet analyze`` writes: tables, figures and an index."""
