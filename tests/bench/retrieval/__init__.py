"""The retrieval benchmark: quality and speed of recall, one protocol for every system."""
