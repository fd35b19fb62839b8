"""Upkeep: what keeps memory in order between turns, under the host's own rails.

Nothing is imported here, since a session needs `dialogue` and `report` alone:
`turns` counts, `schedule` claims what is due, `curation` runs it, `conversation`
lets the model talk, `rails` decide, `attempts` keeps a turn from failing.
"""
