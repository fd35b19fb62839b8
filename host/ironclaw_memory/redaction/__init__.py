"""Secrets in text: their shapes, finding them, taking them out.

In import order: `shapes` (the table), `finding`, `labels`, `dumps`, `detect`
(all of them together), `host_paths`, `redact`, `json_text`, `policy`. Nothing
here does I/O; every function takes time linear in the text, also for text that
was written to be slow.
"""
