"""Engines that put runs of any size into the few integers that the certified batch is made of."""
