"""What is printed of libraries and their adapters."""
