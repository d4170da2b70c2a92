"""The formula of a measure, searched for in a grammar of formulas where no convention explains the answers."""
