"""An audit sink that a test can read, and break."""

from threading import Lock

from ironclaw_memory.model import ProviderEvent


class RecordingSink:
    """Keeps what a provider asserts in ``events``; answers false while ``broken`` is set."""

    def __init__(self) -> None:
        """Start empty and working."""
        self._lock = Lock()
        self.events: list[ProviderEvent] = []
        self.broken = False

    def emit(self, event: ProviderEvent, *, now_ms: int) -> bool:
        """Record *event*; say whether that was possible."""
        with self._lock:
            if self.broken:
                return False
            self.events.append(event)
            return True
