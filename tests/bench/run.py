"""Run benchmarks: ``python -m tests.bench.run [NAME …]``, all of them without a name."""

import argparse
import platform
import sys
from collections.abc import Callable, Mapping
from importlib.metadata import version

from tests.bench import boundary, documents, protection, searches, turns
from tests.bench.measure import stay_on_one_core


BENCHMARKS: Mapping[str, Callable[[], str]] = {
    "boundary": boundary.run,
    "documents": documents.run,
    "protection": protection.run,
    "searches": searches.run,
    "turns": turns.run,
}


def main() -> None:
    """Print one table per benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *BENCHMARKS], help="which to run")
    chosen = parser.parse_args().names or list(BENCHMARKS)
    stay_on_one_core()
    print(
        f"Python {platform.python_version()}, wasmtime {version('wasmtime')}, {platform.machine()}; "
        "medians of one run on one core, steps measured in turn"
    )
    for name in chosen:
        print(f"\n{BENCHMARKS[name]()}")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
