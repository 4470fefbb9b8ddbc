"""The folder that ``mesonet analyze`` writes: tables, figures and an index.

May import `campaign_view`, `verdicts`, `text` and `figures` of reporting. `analysis_files.write_analysis` writes it.
"""
