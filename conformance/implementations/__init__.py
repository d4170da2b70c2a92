"""How an implementation is named, started, called and answered."""
