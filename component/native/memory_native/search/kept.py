"""A connection for writing kept from one transaction to the next.

Opening the file and reading its schema costs as much as adding a note. The connection serves again
only while the file is as its own last transaction left it: anyone else's write, or another file in
its place, ends it.
"""

import sqlite3

from memory_native.search.model import IndexUnusable
from memory_native.search.schema import Generation


class KeptConnection:
    """Holds at most one connection between transactions."""

    def __init__(self) -> None:
        """Keep nothing yet."""
        self._connection: sqlite3.Connection | None = None
        self._generation: Generation | None = None

    def take(self, found: Generation | None) -> sqlite3.Connection | None:
        """Hand the connection over if it wrote what is *found*; forget it otherwise."""
        if found != self._generation:
            self.close()
        self._generation = found
        connection, self._connection = self._connection, None
        return connection

    def keep(self, connection: sqlite3.Connection, generation: Generation) -> None:
        """Keep a *connection* after a transaction that should have left the file in *generation*.

        Raises `IndexUnusable` when the file is as it was before: the connection writes to one that
        is no longer in the directory.
        """
        if generation == self._generation:
            connection.close()
            raise IndexUnusable("damaged")
        self._connection, self._generation = connection, generation

    def close(self) -> None:
        """Close the connection, if there is one."""
        if self._connection is not None:
            self._connection.close()
        self._connection, self._generation = None, None

    def __del__(self) -> None:
        """Close the file."""
        self.close()
