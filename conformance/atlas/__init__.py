"""The atlas: what libraries were found to do, kept as records, and what follows from it."""
