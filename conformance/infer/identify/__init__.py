"""Which conventions a function follows: what it answers to small inputs, against what every convention demands."""
