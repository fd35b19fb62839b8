"""A connection for writing kept from one transaction to the next.

Opening the file and reading its schema costs as much as adding a note. The connection serves again
only while the file looks as its own last transaction left it: anyone else's write, or another file
in its place, ends it. A write that looks the same, in the same tick of the clock, SQLite sees: it
counts transactions in the file and compares before each.
"""

import sqlite3

from memory_native.search.schema import Look


class KeptConnection:
    """Holds at most one connection between transactions."""

    def __init__(self) -> None:
        """Keep nothing yet."""
        self._connection: sqlite3.Connection | None = None
        self._left: Look | None = None

    def take(self, found: Look | None) -> sqlite3.Connection | None:
        """Hand the connection over if it left the file as it is *found*; close it otherwise."""
        if found != self._left:
            self.close()
        connection, self._connection = self._connection, None
        return connection

    def keep(self, connection: sqlite3.Connection, left: Look) -> None:
        """Keep a *connection* whose last transaction *left* the file so."""
        self._connection, self._left = connection, left

    def close(self) -> None:
        """Close the connection, if there is one."""
        if self._connection is not None:
            self._connection.close()
        self._connection, self._left = None, None

    def __del__(self) -> None:
        """Close the file."""
        self.close()
