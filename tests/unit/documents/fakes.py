"""The host, the safety screen and the index, as small as documents need them."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from memory_native.backend import NATIVE, BackendCapabilities
from memory_native.documents import Documents
from memory_native.failures import MemoryFailure
from memory_native.ports import Event, Moment, Scope
from memory_native.search.model import IndexUnusable, Stamp


NOON = 1_795_953_600_000  # 2026-11-29T12:00:00Z


@dataclass
class FakeHost:
    """A bound scope, a clock that a test moves, and the events that came."""

    unix_ms: int = NOON
    zone: str = "UTC"
    user: str = "alice"
    events: list[Event] = field(default_factory=list)

    def scope(self) -> Scope:
        """Return one fixed scope."""
        return Scope(tenant_id="acme", user_id=self.user)

    def now(self) -> Moment:
        """Return the moment that the test set."""
        return Moment(unix_ms=self.unix_ms, zone=self.zone)

    def emit(self, event: Event) -> bool:
        """Keep the event."""
        self.events.append(event)
        return True

    def kinds(self) -> list[str]:
        """Return what was reported, in order."""
        return [event.kind for event in self.events]


@dataclass
class FakeSafety:
    """Refuses texts with a word in them; *on_screen* runs in the middle of a write."""

    forbidden: str = "poison"
    screened: list[str] = field(default_factory=list)
    on_screen: Callable[[], None] = lambda: None

    def protects(self, path: str) -> bool:
        """Protect one document."""
        return path == "MEMORY.md"

    def screen(
        self, *, path: str, content: str, operation: str, allowance: str | None = None
    ) -> None:
        """Refuse what contains the forbidden word."""
        self.screened.append(content)
        self.on_screen()
        if self.forbidden in content:
            raise MemoryFailure("high_risk_prompt_injection")


@dataclass
class FakeIndex:
    """An index in memory that keeps the rules of the real one, with the faults a test asks for."""

    entries: dict[str, tuple[str, Stamp]] = field(default_factory=dict)
    state: str = "missing"
    broken: bool = False
    rebuild_needed: bool = False
    unfinished: bool = False
    sound: bool = True
    opened: int = 0
    damaged: bool = False  # once: the next opening finds it dirty

    @contextmanager
    def open(self, *, trusting: bool = True) -> Iterator["FakeIndex"]:
        """Hand itself out; what is not closed properly is dirty."""
        self.opened += 1
        if not trusting and self.state == "clean" and not self.sound:
            self.state = "dirty"
        self.rebuild_needed = self.state != "clean"
        if self.state not in {"clean", "rebuilding"}:
            self.entries.clear()
        self.state, self.unfinished = "dirty", False
        yield self
        self.state = "rebuilding" if self.unfinished else "clean"

    def peek(self) -> Mapping[str, Stamp] | None:
        """Return the stamps of a clean index."""
        return self.stamps() if self.state == "clean" else None

    def is_sound(self) -> bool:
        """Tell what a test says."""
        return self.sound

    def sync(self) -> None:
        """Be sound from now on: memory has no pages."""
        self.sound = True

    def is_unfinished(self) -> bool:
        """Tell a rebuild that goes on, or has not begun, from what a kill left."""
        return self.state in {"missing", "rebuilding"}

    def put(self, path: str, text: str, stamp: Stamp) -> None:
        """Keep the text, or fail like a full disk, or like one whose bytes are not what they were."""
        if self.damaged:
            self.damaged = False
            raise IndexUnusable("damaged")
        if self.broken:
            raise OSError
        self.entries[path] = (text, stamp)

    def remove(self, path: str) -> None:
        """Forget the text."""
        self.entries.pop(path, None)

    def clear_traces(self) -> None:
        """There are none."""

    def stamp(self, path: str) -> Stamp | None:
        """Return the stamp of one document."""
        entry = self.entries.get(path)
        return entry[1] if entry else None

    def stamps(self) -> Mapping[str, Stamp]:
        """Return every stamp."""
        return {path: stamp for path, (_, stamp) in self.entries.items()}

    def maintain(self, *, deadline: Callable[[], bool]) -> bool:
        """Have nothing to tidy."""
        return not deadline()

    def continue_later(self) -> None:
        """Stay unusable for readers."""
        self.unfinished = True

    def texts(self) -> dict[str, str]:
        """Return what a search would look through."""
        return {path: text for path, (text, _) in self.entries.items()}


@dataclass
class World:
    """One scope with everything around it."""

    root: str
    host: FakeHost = field(default_factory=FakeHost)
    safety: FakeSafety = field(default_factory=FakeSafety)
    index: FakeIndex = field(default_factory=FakeIndex)
    backend: BackendCapabilities = NATIVE

    def documents(self) -> Documents:
        """Return a new instance, as after a restart."""
        return Documents(
            self.root,
            host=self.host,
            index=self.index,
            safety=self.safety,
            backend=self.backend,
        )
