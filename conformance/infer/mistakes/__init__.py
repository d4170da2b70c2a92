"""Mistakes: what programs do that no convention says, in one table, and the search for the one that explains."""
