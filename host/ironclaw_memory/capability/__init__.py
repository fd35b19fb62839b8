"""Who may do what: the gate, what it remembers on disk, and the audit log.

In import order: `frozen_json`, `state` (what is stored), `question` and `table` (what is asked, and
the rules), `decide` (the answer), `docs` (the rules in print), `clamp` (what a manifest
may have), `fingerprint`, `statefile` (one locked file), `grants`,
`leases`, `pending` and `settings` (pure changes of the stored state), `gate` (the object
that a call talks to), `records`, `audit_files`, `audit` and `audit_reading`, `pins`.
"""
