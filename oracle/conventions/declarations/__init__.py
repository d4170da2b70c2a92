"""The measures, declared: a family an entry, related families a module."""
