"""Names of the tests of a deployment, as experiment files, campaign folders and tables of outcomes have them."""

from __future__ import annotations

SWEEP = "sweep"
"""Runs at several shares, which are no test of their own."""
AB, LINKS, SWITCHBACK, ROLLOUT, EVENT_STUDY = "ab", "paired-links", "switchback", "rollout", "event-study"
OF_SWEEP = (AB, LINKS)
"""Tests that read the runs of the sweep."""
BY_TIME = (SWITCHBACK, ROLLOUT, EVENT_STUDY)
"""Tests with runs of their own, in which the share depends on the period: units may change their arm."""
TESTS = (*OF_SWEEP, *BY_TIME)
