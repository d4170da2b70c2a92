"""What is evaluated: scores, qrels and runs, validated once and immutable after. No convention is applied here."""
