# Everything a developer types. `just` alone checks what CI checks.

venv := env("VENV", ".venv")
bin := venv / "bin"

# What CI runs before a merge.
default: lint test

# A virtual environment with everything, and the component built into the checkout.
[group('write')]
setup python="python3":
    {{ python }} -m venv {{ venv }}
    {{ bin }}/pip install --quiet --editable '.[dev]'

# wit/ + component/native -> memory.wasm; skipped when nothing changed.
[group('write')]
build:
    {{ bin }}/python component/build_hook.py

# All tests. `just test tests/unit` needs no component.
[group('check')]
test *args:
    {{ bin }}/pytest {{ args }}

# The long tests too: hundreds of kills, thousands of examples.
[group('check')]
test-long *args:
    IRONCLAW_MEMORY_LONG_TESTS=1 {{ bin }}/pytest {{ args }}

# Change no source, report everything; the types of the guest's exports come from wit/.
[group('check')]
lint: bindings
    {{ bin }}/ruff check .
    {{ bin }}/ruff format --check .
    {{ bin }}/mypy

# Medians and ratios of the host, the boundary and each protection, in one run.
[group('measure')]
bench *args:
    {{ bin }}/python -m tests.bench.run {{ args }}

# Recall quality and search speed beside their peers.
[group('measure')]
bench-search *args:
    {{ bin }}/python -m tests.bench.retrieval {{ args }}

# Hold a provider to the contract.
[group('check')]
conformance *args:
    {{ bin }}/ironclaw-memory conformance {{ args }}

# Rewrite code in house format.
[group('write')]
fix:
    {{ bin }}/ruff check --fix .
    {{ bin }}/ruff format .

# wit/ -> Python stubs for editors.
[group('write')]
bindings:
    rm -rf component/bindings
    {{ bin }}/componentize-py -d wit -w memory-provider bindings component/bindings

# Rewrite the parts of the README that are printed from the code.
[group('write')]
docs:
    {{ bin }}/python -m tests.readme
