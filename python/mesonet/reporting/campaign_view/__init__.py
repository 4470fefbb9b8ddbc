"""What a report reads of a campaign: values by condition and algorithm, analyses, thresholds."""
