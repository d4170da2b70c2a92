"""Finding things out: which conventions fit what was observed or printed."""
