"""The static site: pages made of the specification, the cases and the records, and of nothing else."""
