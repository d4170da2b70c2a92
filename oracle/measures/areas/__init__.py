"""Areas under the precision-recall curve, and what they are divided by."""
