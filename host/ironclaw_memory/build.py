"""From a provider's folder to one component file with its package section.

A provider's folder holds ``manifest.toml``, one package with an ``app.py``, and where
it needs libraries a pinned ``requirements.txt``. Needs componentize-py, which users of
a wheel do not have: only the build hook and ``component build`` come here.
"""

import hashlib
import importlib.util
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from ironclaw_memory.config import child_environment
from ironclaw_memory.declared import Package, freeze
from ironclaw_memory.errors import InvalidManifest, RequestError
from ironclaw_memory.manifest import read_package
from ironclaw_memory.package import Carried, embed


WORLD: Final = "memory-provider"
_SKIPPED: Final = ("__pycache__", "*.pyc", "bindings", ".*")
_COMPONENTIZE: Final = "import sys; sys.argv[0] = 'componentize-py'; from componentize_py import script; sys.exit(script())"

_MACHINERY: Final = re.compile(r"\n\s*(?:Caused by|Stack backtrace):\s")
_MOST_WORDS: Final = 4000  # characters

Say = Callable[[str], None]


class BuildFailed(RequestError):
    """The sources do not build; ``output`` is what the tool said, for the author."""

    code = "build-failed"

    def __init__(self, message: str, *, output: str = "", hint: str = "") -> None:
        """Keep the last lines of the tool's own words in *output*."""
        super().__init__(message, hint=hint)
        self.output = output


@dataclass(frozen=True, kw_only=True)
class Sources:
    """Where a build reads: the provider's folder, the contract, and where references resolve.

    *imports* are further folders that the provider's Python may import from.
    """

    provider: Path
    wit: Path
    asset_roots: tuple[Path, ...]
    imports: tuple[Path, ...] = ()

    def app_module(self) -> str:
        """Return the module that componentize-py starts from, for instance ``memory_native.app``."""
        found = sorted(self.provider.glob("*/app.py"))
        if len(found) != 1:
            raise BuildFailed(
                f"{self.provider.name}/ has {len(found)} packages with an app.py; exactly one is built.",
                hint="Put the exports into PACKAGE/app.py.",
            )
        return f"{found[0].parent.name}.app"

    def carried(self) -> Carried:
        """Return what the component will carry, read from the folder and the asset roots."""
        path = self.provider / "manifest.toml"
        if not path.is_file():
            raise InvalidManifest(
                f"{self.provider.name}/ has no manifest.toml.",
                hint="`ironclaw-memory component new NAME` writes one.",
            )
        files: dict[str, str] = {}
        for root in reversed(self.asset_roots):
            for asset in _assets(root):
                files[asset.relative_to(root).as_posix()] = asset.read_text(encoding="utf-8")
        return Carried(manifest=path.read_text(encoding="utf-8"), files=files)


def build(sources: Sources, out: Path, *, say: Say) -> Package:
    """Build the component at *out* and its frozen description at ``out + ".json"``.

    Skipped when *out* was made from the same inputs. *say* gets one line per step.
    Raises `InvalidManifest` before anything is compiled, and `BuildFailed` with the
    guest's own traceback if the sources do not build.
    """
    carried = sources.carried()
    package = read_package(carried)
    inputs = _inputs(sources, carried)
    if _is_current(out, inputs):
        say(f"{out.name} is up to date")
        return package
    with tempfile.TemporaryDirectory() as scratch:
        wasm = _componentize(sources, Path(scratch), say=say)
    used = Carried(manifest=carried.manifest, files=package.texts)
    component = embed(wasm, used)
    _publish(out, component, {"inputs": inputs, "package": freeze(package)})
    say(f"{out.name}: {len(component) / 1e6:.1f} MB")
    return package


def _assets(root: Path) -> Iterator[Path]:
    for folder in ("prompts", "schemas"):
        yield from sorted(path for path in (root / folder).rglob("*") if path.is_file())


def _inputs(sources: Sources, carried: Carried) -> str:
    """Return a digest of everything that the component's behaviour depends on."""
    digest = hashlib.sha256(f"componentize-py {version('componentize-py')}\0".encode())
    for root in (sources.provider, sources.wit, *sources.imports):
        for path in sorted(root.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                digest.update(f"{path.relative_to(root).as_posix()}\0".encode() + path.read_bytes())
    digest.update(json.dumps(dict(sorted(carried.files.items()))).encode())
    return digest.hexdigest()


def _is_current(out: Path, inputs: str) -> bool:
    try:
        described = json.loads(out.with_name(f"{out.name}.json").read_bytes())
        return bool(
            described["inputs"] == inputs
            and described["sha256"] == hashlib.sha256(out.read_bytes()).hexdigest()
        )
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _componentize(sources: Sources, scratch: Path, *, say: Say) -> bytes:
    guests = [
        shutil.copytree(
            folder, scratch / f"guest{number}", ignore=shutil.ignore_patterns(*_SKIPPED)
        )
        for number, folder in enumerate((sources.provider, *sources.imports))
    ]
    libraries = scratch / "libraries"
    requirements = (sources.provider / "requirements.txt").resolve()
    if requirements.is_file():
        say("fetching the guest's libraries")
        _run(_pip_install(requirements, libraries), scratch, what="The guest's libraries")
    libraries.mkdir(exist_ok=True)
    say("compiling Python into a component (about 20 s)")
    out = scratch / "provider.wasm"
    command = [
        sys.executable,
        "-c",
        _COMPONENTIZE,
        "-q",
        "-d",
        str(sources.wit.resolve()),
        "-w",
        WORLD,
        "componentize",
    ]
    for folder in (*guests, libraries):
        command += ["-p", str(folder)]
    command += [sources.app_module(), "-o", str(out)]
    _run(command, scratch, what="The provider's sources", environment=_componentize_environment())
    return out.read_bytes()


def _pip_install(requirements: Path, target: Path) -> list[str]:
    return [
        *(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile"),
        *("--disable-pip-version-check", "--target", str(target), "-r", str(requirements)),
    ]


def _componentize_environment() -> Mapping[str, str]:
    """Return an environment in which only the guest's own paths are searched for imports.

    pip's isolated build finds componentize-py through PYTHONPATH alone, and VIRTUAL_ENV
    would add that environment's packages to the guest's (tech-notes section 12).
    """
    spec = importlib.util.find_spec("componentize_py")
    if spec is None or spec.origin is None:
        raise BuildFailed(
            "componentize-py is not installed.", hint="pip install componentize-py==0.25.1"
        )
    kept = child_environment(without=frozenset({"VIRTUAL_ENV", "PYTHONHOME"}))
    return {**kept, "PYTHONPATH": str(Path(spec.origin).parents[1])}


def _run(
    command: Sequence[str], cwd: Path, *, what: str, environment: Mapping[str, str] | None = None
) -> None:
    done = subprocess.run(  # noqa: S603 - our own command, no shell
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        output = authors_words(done.stderr or done.stdout)
        raise BuildFailed(
            f"{what} could not be built.", output=output, hint="See the tool's own words above."
        )


def authors_words(output: str) -> str:
    """Return what a provider's author needs of a tool's *output*: their own traceback.

    componentize-py wraps the guest's traceback in one of its own and adds the stack of its
    machinery; where there is nothing of the kind, the end of the output is returned.
    """
    _, wrapped, rest = output.partition("AssertionError: Traceback")
    own = f"Traceback{rest}" if wrapped else output
    return _MACHINERY.split(own, maxsplit=1)[0].strip()[-_MOST_WORDS:]


def _publish(out: Path, component: bytes, described: dict[str, Any]) -> None:
    """Replace component and description, the description last: it names the digest."""
    described["sha256"] = hashlib.sha256(component).hexdigest()
    out.parent.mkdir(parents=True, exist_ok=True)
    for path, content in (
        (out, component),
        (out.with_name(f"{out.name}.json"), json.dumps(described, ensure_ascii=False).encode()),
    ):
        scratch = path.with_name(f"{path.name}.new")
        scratch.write_bytes(content)
        scratch.replace(path)
