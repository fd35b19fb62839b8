"""hatchling's hook: a wheel, and an editable install, carry the built provider."""

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ComponentHook(BuildHookInterface):  # type: ignore[type-arg]
    """Build component/native into host/ironclaw_memory/memory.wasm before packaging."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build unless the file was made from the same inputs."""
        if self.target_name != "wheel":
            return
        root = Path(self.root)
        sys.path.insert(0, str(root / "host"))
        from ironclaw_memory.build import Sources, build  # noqa: PLC0415 - found through the line above

        sources = Sources(
            provider=root / "component" / "native", wit=root / "wit", asset_roots=(root,)
        )
        build(sources, root / "host" / "ironclaw_memory" / "memory.wasm", say=self.app.display_info)
