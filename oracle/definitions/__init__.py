"""What a measure computes, as data: expressions over what a list shows, and the readings that need nothing else."""
