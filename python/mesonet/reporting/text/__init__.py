"""Sentences and captions of reports."""
