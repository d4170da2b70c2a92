"""Conventions: every choice that a definition of a ranking metric leaves open, as data. Nothing is computed here."""
