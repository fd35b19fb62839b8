"""The commands, a few to a file; each file lists its own in ``COMMANDS``."""
