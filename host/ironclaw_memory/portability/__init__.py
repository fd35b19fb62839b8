"""Memory that moves: a scope as a tar of plain files, Markdown folders, other formats in.

In import order: `members` (the names inside an archive), `hostile` (what an archive may
not be), `writing`, `integrity` and `compression` (whether one is whole), `reading`, `report`,
`foresight` (what will be refused), `exporting` and `importing` (between an archive and a scope), `plans` (texts from elsewhere,
compared before anything is written), `folders` and `server_memory` (where such texts come
from).
"""
