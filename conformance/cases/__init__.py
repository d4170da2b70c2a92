"""Cases: read, checked against their schema, turned into input, compared with the oracle, counted."""
