"""The parts of the README that are printed from the code; run as a program it rewrites them.

    python -m tests.readme

A part stands between ``<!-- generated: NAME -->`` and ``<!-- end -->``. A test compares
them with what this module prints.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from ironclaw_memory import assets, config
from ironclaw_memory.adapters.cli.failures import EXIT_CODES
from ironclaw_memory.capability.clamp import Policy, clamp
from ironclaw_memory.capability.question import ToolRules
from ironclaw_memory.capability.table import RULES, Verdict, cell_of_tool
from ironclaw_memory.declared import Package
from ironclaw_memory.manifest import read_package
from ironclaw_memory.model import Origin
from ironclaw_memory.package import Carried


REPOSITORY: Final = Path(__file__).resolve().parents[1]
README: Final = REPOSITORY / "README.md"
MAIN: Final = "import sys; from ironclaw_memory.adapters.cli import main; sys.exit(main())"
_VERDICTS: Final = {
    Verdict.ALLOW: "allowed",
    Verdict.DENY: "denied",
    Verdict.ASK: "needs approval",
}
_PART: Final = re.compile(r"(<!-- generated: ([a-z-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def generated(text: str, parts: Mapping[str, Callable[[], str]]) -> str:
    """Return *text* with every part printed anew; raises `KeyError` for a part nobody prints."""
    return _PART.sub(lambda found: found[1] + parts[found[2]]() + found[3], text)


def demo() -> str:
    """Return what the demo prints."""
    done = subprocess.run(
        [sys.executable, "-c", MAIN, "demo"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    return f"```text\n{done.stdout}```\n"


def exit_codes() -> str:
    """Return the exit codes as a table."""
    return _table(
        ("exit code", "means", "what to do"),
        [(str(code), *words) for code, words in EXIT_CODES.items()],
    )


def matrix() -> str:
    """Return the effective cell of each tool for each origin, as the bundled provider gets it."""
    effective = clamp(_package().manifest, Policy(bundled=True))
    return matrix_of(effective.tools.values())


def matrix_of(tools: Iterable[ToolRules]) -> str:
    """Return the effective cell of each of *tools* for each origin, as a table."""
    rows = [
        (f"`{asked.tool}`", *(cell_of_tool(asked, origin).value for origin in Origin))
        for asked in tools
    ]
    return _table(("tool", *(origin.value for origin in Origin)), rows)


def rules() -> str:
    """Return the approval order: one row a rule, first match wins."""
    rows = [
        (
            str(number),
            rule.when,
            _VERDICTS[rule.verdict],
            f"`{rule.reason.value}`",
            rule.remedy.format(tool="TOOL", origin="ORIGIN", scope=""),
        )
        for number, rule in enumerate(RULES, start=1)
    ]
    return _table(("", "when", "the call is", "reason code", "what would allow it"), rows)


def tools() -> str:
    """Return the reference of the five tools, from the manifest and our own schemas."""
    return "\n".join(
        _tool(tool.id, tool.name, tool.description) for tool in _package().manifest.tools
    )


def settings() -> str:
    """Return every setting with its variable and default; directories by what decides them."""
    with tempfile.TemporaryDirectory() as empty:
        found = config.load({"XDG_CONFIG_HOME": empty})
    rows = [(f"`{s.name}`", f"`{s.variable}`", _default(s.name, s.value)) for s in found.settings]
    return _table(("setting", "environment", "default"), rows)


PARTS: Final[Mapping[str, Callable[[], str]]] = {
    "demo": demo,
    "exit-codes": exit_codes,
    "matrix": matrix,
    "rules": rules,
    "tools": tools,
    "settings": settings,
}


def _package() -> Package:
    native = REPOSITORY / "component" / "native" / "manifest.toml"
    files = {
        path.relative_to(REPOSITORY).as_posix(): path.read_text(encoding="utf-8")
        for folder in ("prompts", "schemas")
        for path in (REPOSITORY / folder).rglob("*")
        if path.is_file()
    }
    return read_package(Carried(manifest=native.read_text(encoding="utf-8"), files=files))


def _tool(tool_id: str, name: str, description: str) -> str:
    schema = assets.schema(name, "input")
    rows = list(_arguments(schema))
    return f"### {tool_id}\n\n{description}\n\n{_table(('argument', 'type', 'meaning'), rows)}"


def _arguments(schema: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    required = set(schema.get("required", ()))
    for name, field in schema["properties"].items():
        shown = f"`{name}`" + (" (required)" if name in required else "")
        meaning = field.get("description", "")
        if "default" in field and field["default"] != "":
            meaning = f"{meaning} Default: `{json.dumps(field['default'])}`.".strip()
        yield shown, _type(field), meaning.replace("|", "\\|")


def _type(field: Mapping[str, Any]) -> str:
    said = field.get("type", "any")
    words = said if isinstance(said, str) else " or ".join(said)
    least, most = field.get("minimum"), field.get("maximum")
    return words if least is None or most is None else f"{words}, {least} to {most}"


def _default(name: str, value: config.Value) -> str:
    match name:
        case "root":
            return "the platform's user data directory"
        case "cache":
            return "the platform's cache directory"
        case _:
            return (
                ""
                if value is None
                else f"`{str(value).lower() if isinstance(value, bool) else value}`"
            )


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def main() -> None:
    """Rewrite the README in place."""
    text = README.read_text(encoding="utf-8")
    README.write_text(generated(text, PARTS), encoding="utf-8")


if __name__ == "__main__":
    main()
