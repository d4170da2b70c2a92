"""What a person reads: a finding in sentences. Nothing is computed here, nothing is printed."""
