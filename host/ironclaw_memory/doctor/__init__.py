"""What is wrong with an installation and its scopes, and mending what is derived.

In import order: `findings` (what can be found, in words), `places` (root, cache, gate, log,
component), `scopes_on_disk` (which scopes there are), `scope` (one of them, from outside and
through its provider), `examination` (all of it).
"""
