"""What the provider does, in ordinary Python: two tools and one hook.

Nothing here knows WebAssembly, so all of it can be run and tested on your machine.
"""

from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo, available_timezones

from minimal_memory import names, recall
from minimal_memory.documents import Documents
from minimal_memory.failing import Refusal, unsupported


STANDING = "MEMORY.md"

# All of them, now: a component is a snapshot of Python after its imports, and nothing
# can be loaded once it is built.
ZONES = {name: ZoneInfo(name) for name in available_timezones()}


@dataclass(frozen=True)
class Write:
    """A request to write, as the host hands it over."""

    target: str
    content: str
    append: bool
    is_patch: bool
    metadata: str | None
    zone: str


@dataclass(frozen=True)
class Written:
    """What a write did: the document, and the bytes of the entry or of the whole."""

    path: str
    append: bool
    size: int


class Provider:
    """Memory in the directory *root*."""

    def __init__(self, root: str) -> None:
        """Serve *root*; nothing is read yet."""
        self._documents = Documents(root)

    def read(self, raw: str) -> tuple[str, str]:
        """Return the path and the text of a document."""
        path = names.document(raw, field="path")
        text = self._documents.read(path)
        if text is None:
            raise Refusal("input", "document-missing", "path")
        return path, text

    def write(self, request: Write, unix_ms: int) -> Written:
        """Append an entry, or replace a document. What is not done here is refused."""
        path = self._path(request, unix_ms)
        if request.is_patch or request.metadata is not None or request.target == "bootstrap":
            raise unsupported()
        if not request.content.strip():
            raise Refusal("input", "content-blank", "content")
        if not request.append:
            self._documents.store(path, request.content)
            return Written(path, append=False, size=len(request.content.encode()))
        entry = f"{request.content.rstrip()}\n"
        before = self._documents.read(path) or ""
        gap = "\n" if before and not before.endswith("\n") else ""
        self._documents.store(path, f"{before}{gap}{entry}")
        return Written(path, append=True, size=len(entry.encode()))

    def recall(self, query: str, most: int, profile: str) -> list[str]:
        """Return the standing document in chunks, whatever the query is."""
        if most == 0 or profile in recall.DISABLING:
            return []
        if not query.strip():
            raise Refusal("input", "query-blank", "query")
        try:
            text = self._documents.read(STANDING)
        except Refusal:  # nothing to recall is an answer
            return []
        return recall.chunks(text or "", min(most, recall.CHUNKS))

    def _path(self, request: Write, unix_ms: int) -> str:
        if request.target == "daily_log":
            return _log_of_the_day(unix_ms, request.zone)
        path = names.document(names.ALIASES.get(request.target, request.target), field="target")
        if names.is_transcript(path):
            raise Refusal("operation", "threads-reserved")
        return path


def _log_of_the_day(unix_ms: int, zone: str) -> str:
    if zone not in ZONES:
        raise Refusal("input", "timezone-invalid", "timezone")
    return f"daily/{datetime.fromtimestamp(unix_ms / 1000, ZONES[zone]):%Y-%m-%d}.md"
