"""Which conventions give a printed number, and the first line on which two derivations differ."""
