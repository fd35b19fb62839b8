"""hatchling's hook: a wheel, and an editable install, carry the built provider.

Run as a program it builds the provider into the checkout, which is `just build`.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ComponentHook(BuildHookInterface):  # type: ignore[type-arg]
    """Build component/native into host/ironclaw_memory/memory.wasm before packaging."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build unless the file was made from the same inputs."""
        if self.target_name == "wheel":
            build_native(Path(self.root), say=self.app.display_info)


def build_native(root: Path, *, say: Callable[[str], None]) -> None:
    """Build the bundled provider of the checkout at *root*."""
    sys.path.insert(0, str(root / "host"))
    from ironclaw_memory.build import Sources, build  # noqa: PLC0415 - found through the line above

    sources = Sources(provider=root / "component" / "native", wit=root / "wit", asset_roots=(root,))
    build(sources, root / "host" / "ironclaw_memory" / "memory.wasm", say=say)


if __name__ == "__main__":
    build_native(Path(__file__).parents[1], say=print)
