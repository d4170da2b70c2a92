"""Significance between two runs, exactly: the paired randomization test, the paired t test, families of comparisons."""
