"""The only room that knows wasmtime: run a provider that nobody trusts.

`ThreadRunner` runs guest calls in this process, `ProcessRunner` in worker processes
that the operating system bounds too; both are a `Runner`.
"""
