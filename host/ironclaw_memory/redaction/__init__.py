"""Secrets in text: their shapes, finding them, taking them out.

In import order: `finding`, `shapes` (the table), `labels`, `dumps`, `private_keys`,
`detect` (all of them together), `host_paths`, `json_text`, `redact`. Nothing here does
I/O, and every function takes time linear in the text, also for text that was written
to be slow.
"""
