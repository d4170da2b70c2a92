"""How implementations are named and described: specifications, adapters, versions."""
