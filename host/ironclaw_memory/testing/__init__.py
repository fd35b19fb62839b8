"""Public doubles, for our tests and for yours."""

from ironclaw_memory.testing.host import InMemoryHost
from ironclaw_memory.testing.lanes import ScriptedLanes, snippet_of
from ironclaw_memory.testing.model import ModelCall, ScriptedModel
from ironclaw_memory.testing.provider import InMemoryProvider
from ironclaw_memory.testing.sink import RecordingSink


__all__ = [
    "InMemoryHost",
    "InMemoryProvider",
    "ModelCall",
    "RecordingSink",
    "ScriptedLanes",
    "ScriptedModel",
    "snippet_of",
]
