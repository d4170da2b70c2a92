"""What a finding looks like: for a person on a terminal, and as JSON for programs. Nothing is decided here."""
