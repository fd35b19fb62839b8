"""The README is executed: every command, every line of Python, every configuration.

A block is run as it stands, in the order of the page, in one directory with one memory.
`<!-- skip: reason -->` above a block keeps it from being run; what `pip install` would
bring is here already.
"""

import json
import os
import pty
import re
import shlex
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.readme import MAIN, PARTS, README, REPOSITORY

from ironclaw_memory import errors
from ironclaw_memory.adapters.cli.failures import EXIT_CODES
from ironclaw_memory.adapters.cli.program import program


TEXT = README.read_text(encoding="utf-8")
BLOCK = re.compile(
    r"(?:<!-- skip: (?P<skip>[^>]+) -->\n)?```(?P<language>[a-z]+)\n(?P<body>.*?)```", re.DOTALL
)
MOST_S = 900  # one block builds a component and holds it to the contract
LINK = re.compile(r"\]\((?!https?:)([^)#]*)(#[^)]*)?\)")


@dataclass(frozen=True)
class Block:
    """One fenced block: its language, its text, its line, and why it is not run."""

    language: str
    body: str
    line: int
    skip: str | None

    @property
    def id(self) -> str:
        """How the block is called in a report."""
        return f"line {self.line}"


def blocks(*languages: str) -> list[Block]:
    """Return the blocks of some languages, in order."""
    return [
        Block(
            found["language"],
            found["body"],
            TEXT.count("\n", 0, found.start("body")),
            found["skip"],
        )
        for found in BLOCK.finditer(TEXT)
        if found["language"] in languages
    ]


def commands(block: Block) -> list[list[str]]:
    """Return the command lines of a block, each as its words."""
    lines = [line for line in block.body.splitlines() if line.strip()]
    return [shlex.split(part, comments=True) for line in lines for part in line.split("&&")]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the program on its path, where every block of the page is run."""
    home = tmp_path_factory.mktemp("readme")
    (home / "bin").mkdir()
    for name, body in {
        "ironclaw-memory": f'exec {sys.executable} -c "{MAIN}" "$@"',
        "pip": "exit 0",
        "pytest": "exit 0",
    }.items():
        shim = home / "bin" / name
        shim.write_text(f"#!/bin/sh\n{body}\n")
        shim.chmod(0o755)
    return home


def run_in(home: Path, *command: str) -> "subprocess.CompletedProcess[str]":
    """Run a program in the directory, with a memory of its own there."""
    own = {k: v for k, v in os.environ.items() if not k.startswith("IRONCLAW_MEMORY_")}
    cache = os.environ.get("IRONCLAW_MEMORY_CACHE")
    environment = {
        **own,
        **({"IRONCLAW_MEMORY_CACHE": cache} if cache else {}),
        "IRONCLAW_MEMORY_HOME": str(home / "data"),
        "PATH": f"{home / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }
    ours, theirs = pty.openpty()
    os.write(ours, b"y\n")  # what somebody answers who is asked to approve a component
    try:
        return subprocess.run(
            command,
            cwd=home,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=MOST_S,
            stdin=theirs,
        )
    finally:
        os.close(ours)
        os.close(theirs)


@pytest.mark.sandbox
@pytest.mark.parametrize("block", blocks("sh", "python"), ids=lambda block: block.id)
def test_a_block_runs_as_it_stands(home: Path, block: Block) -> None:
    """In the order of the page, as somebody would who reads it from the top."""
    if block.skip:
        pytest.skip(block.skip)
    program_of = {"sh": ("bash", "-euo", "pipefail", "-c"), "python": (sys.executable, "-c")}
    done = run_in(home, *program_of[block.language], block.body)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("block", blocks("sh"), ids=lambda block: block.id)
def test_a_command_of_ours_is_understood(block: Block) -> None:
    """Also in blocks that are not run."""
    for words in commands(block):
        ours = [n for n, word in enumerate(words) if word == "ironclaw-memory"]
        for start in ours:
            if words[start + 1 :]:
                assert understood(words[start + 1 :])


def understood(words: list[str]) -> bool:
    """Parse the words down to the last command, without running it."""
    context = program.make_context("ironclaw-memory", list(words))
    command: Any = program
    while hasattr(command, "resolve_command"):
        name, command, rest = command.resolve_command(
            context, [*context._protected_args, *context.args]
        )
        assert name
        context = command.make_context(name, list(rest), parent=context)
    return True


@pytest.mark.parametrize("block", blocks("json", "toml"), ids=lambda block: block.id)
def test_a_clients_configuration_starts_the_server(block: Block) -> None:
    """The syntax holds, and the command line is one of ours."""
    value = json.loads(block.body) if block.language == "json" else tomllib.loads(block.body)
    (servers,) = value.values()
    (server,) = servers.values()
    assert server["command"] == "ironclaw-memory"
    assert server["args"][0] == "mcp"
    assert understood(server["args"])


@pytest.mark.parametrize("name", [name for name in PARTS if name != "demo"])
def test_a_printed_part_is_in_step(name: str) -> None:
    """`python -m tests.readme` rewrites it."""
    assert f"<!-- generated: {name} -->" in TEXT
    assert part(name) == PARTS[name]()


def part(name: str) -> str:
    """Return a part as it stands on the page."""
    return TEXT.split(f"<!-- generated: {name} -->\n")[1].split("<!-- end -->")[0]


@pytest.mark.sandbox
def test_the_demo_prints_what_the_page_shows() -> None:
    """Word for word."""
    assert PARTS["demo"]() == part("demo")


def test_the_first_command_is_on_the_first_screen() -> None:
    """With one call allowed and one refused below it, and the reason."""
    screen = TEXT.splitlines()[:30]
    assert any("ironclaw-memory demo" in line for line in screen[:15])
    assert any(line.startswith("allowed") for line in screen)
    assert any(line.startswith("refused") for line in screen)


def test_every_exit_code_of_an_error_is_documented() -> None:
    """No branch of the tree ends with a code that the page does not name."""
    root = errors.IronclawMemoryError
    tree = [e for e in vars(errors).values() if isinstance(e, type) and issubclass(e, root)]
    assert {error.exit_code for error in tree} <= set(EXIT_CODES)


def test_every_link_inside_the_repository_leads_somewhere() -> None:
    """Files exist, and headings do."""
    headings = {
        "#" + re.sub(r"[^a-z0-9 -]", "", line.lstrip("# ").lower()).replace(" ", "-")
        for line in TEXT.splitlines()
        if line.startswith("#")
    }
    for target, anchor in LINK.findall(TEXT):
        assert not target or (REPOSITORY / target).exists(), target
        assert target or anchor in headings, anchor


def test_the_page_says_what_it_must() -> None:
    """Independence, licence, platforms, and the two lists of the security model."""
    for words in (
        "independent implementation",
        "Apache-2.0",
        "Linux",
        "You can assume",
        "You must not assume",
    ):
        assert words in TEXT
