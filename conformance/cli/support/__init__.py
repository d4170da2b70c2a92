"""What verbs have in common: options, what they are read into, files, progress, interruption."""
