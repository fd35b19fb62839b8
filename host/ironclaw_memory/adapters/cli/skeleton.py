"""The smallest honest provider, as files to begin with."""
