"""How a value came about, as data: what `derivation.explain` is made of. Rendering is elsewhere."""
