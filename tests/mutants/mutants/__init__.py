"""Providers that break one rule each, on top of the native one.

A component costs 20 s to build, so there is one for all: the tenant of the bound scope
names the fault, and what follows a dot in it is ignored. `mutants.catalogue` says for
each fault which rule must catch it.
"""
