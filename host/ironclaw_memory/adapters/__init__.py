"""Ways in: they translate between a surface and `MemoryHost`, and decide nothing."""
