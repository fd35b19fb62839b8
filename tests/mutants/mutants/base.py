"""What a mutant is made of: the native provider, and shortcuts past its checks."""

from typing import ClassVar

from memory_native.documents import WriteReply, WriteRequest
from memory_native.documents.requests import WriteStatus
from memory_native.failures import Kind, MemoryFailure
from memory_native.provider import Provider


class Mutant(Provider):
    """A provider with one fault; its docstring says which, ``rule`` what must catch it."""

    rule: ClassVar[str]

    @property
    def root(self) -> str:
        """The directory of the scope."""
        return self._documents.root

    def body(self, path: str) -> str:
        """Return a document's text, empty where there is none."""
        return (self._documents.read_bytes(path) or b"").decode()

    def put(self, path: str, text: str) -> None:
        """Store a whole document past every check of a write, and index it."""
        self._documents.put(path, text.encode())

    def replaced(self, path: str, text: str) -> WriteReply:
        """Store a whole document and answer as for a replacement."""
        self.put(path, text)
        return WriteReply(
            status=WriteStatus.WRITTEN,
            path=path,
            append=False,
            content_length=len(text.encode()),
        )


def is_append(request: WriteRequest) -> bool:
    """Say whether a request adds an entry to a document of that very name."""
    return request.append and request.old_string is None and "." in request.target


def is_replacement(request: WriteRequest) -> bool:
    """Say whether a request replaces a document of that very name."""
    return not request.append and request.old_string is None and "." in request.target


def failure(kind: Kind, code: str) -> MemoryFailure:
    """Return a failure of any kind with any code, the closed list notwithstanding."""
    made = MemoryFailure("internal")
    made.kind, made.code = kind, code
    return made
