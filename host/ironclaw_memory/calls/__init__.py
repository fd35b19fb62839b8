"""The one path that every operation takes, from an invocation to a checked answer.

`tools.run` is what a model's call goes through, step by step. `hooks` are what the host
drives around a turn, `upkeep` what the owner does to documents; they share steps 5 to 8,
which are in `guest`.
"""

from ironclaw_memory.calls.hooks import run_hook
from ironclaw_memory.calls.tools import run
from ironclaw_memory.calls.upkeep import run_upkeep
from ironclaw_memory.calls.wiring import SecretPolicy, Wiring


__all__ = ["SecretPolicy", "Wiring", "run", "run_hook", "run_upkeep"]
