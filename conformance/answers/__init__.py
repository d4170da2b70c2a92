"""What a person is told: a finding in sentences. Nothing is computed here, nothing is printed."""
