"""What runs in the other process: loads one implementation and answers calls. Standard library only."""
