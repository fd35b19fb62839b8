"""The retrieval benchmark: quality and speed of recall, one protocol for every system."""

import sys
from pathlib import Path


# The index runs natively here, out of the component's own sources.
sys.path.insert(0, str(Path(__file__).parents[3] / "component" / "native"))
