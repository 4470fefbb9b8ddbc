"""Views of a campaign for reports: values by condition and algorithm, analyses, thresholds."""
