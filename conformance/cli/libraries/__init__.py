"""Verbs about libraries: what they compute, since when, how to cite them and what to tell them."""
