"""Text for eyes, made from plain values."""
