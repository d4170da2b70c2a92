"""From documents with scores to a labelled ranking, and what a cutoff leaves of it. No measure is computed here."""
