"""What flags, the environment, a file and the platform say; the only reader of ``os.environ``.

Each setting comes from the first of: a flag, the environment, the configuration file,
a default. The file is TOML with the names of `Config`'s fields as keys, and a table
``[limits]`` with the names of `sandbox.limits.Limits`.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, TypeVar, cast

from ironclaw_memory.errors import InvalidArguments, SettingsUnreadable


APPLICATION: Final = "ironclaw-memory"
PREFIX: Final = "IRONCLAW_MEMORY_"  # design.md section 2
FILE_NAME: Final = "config.toml"
FILE_UNREADABLE: Final = "configuration-unreadable"

DEFAULT_TENANT: Final = "local"
DEFAULT_USER: Final = "me"
"""A command line on somebody's own machine serves that one person until told otherwise."""

Isolation = Literal["thread", "process", "call"]
Secrets = Literal["reject", "redact", "allow"]
Value = str | int | bool | Path | None
_LOADER: Final = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
_YES: Final = frozenset({"1", "true", "yes", "on"})
_NO: Final = frozenset({"0", "false", "no", "off"})
_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})

T = TypeVar("T")


class Source(Enum):
    """Where a setting's value came from, strongest first."""

    FLAG = "flag"
    ENVIRONMENT = "environment"
    FILE = "file"
    DEFAULT = "default"


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One value with its origin; ``variable`` is the environment variable that sets it."""

    name: str
    value: Value
    source: Source
    variable: str = ""


@dataclass(frozen=True, kw_only=True)
class Config:
    """Where things are, the scope that a command line falls back on, and how calls run.

    ``root`` holds memory and the host's own files, ``cache`` compiled components.
    ``provider`` is a component other than the bundled one. ``secrets`` is the policy for
    a model's writes, ``transcript_secrets`` the one for recorded turns. ``settings`` lists
    every value with its origin.
    """

    root: Path
    cache: Path
    tenant: str = DEFAULT_TENANT
    user: str = DEFAULT_USER
    agent: str | None = None
    project: str | None = None
    thread: str | None = None
    json: bool = False
    provider: Path | None = None
    isolation: Isolation = "thread"
    secrets: Secrets = "reject"
    transcript_secrets: Secrets = "redact"
    limits: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    settings: tuple[Setting, ...] = ()


def load(
    environment: Mapping[str, str] = os.environ, *, flags: Mapping[str, Value] = _NOTHING
) -> Config:
    """Resolve every setting from *flags*, *environment*, the file and the defaults.

    ``IRONCLAW_MEMORY_HOME`` (or ``_ROOT``) and ``IRONCLAW_MEMORY_CACHE`` name directories;
    without them the platform's own for user data and caches are used (design.md
    section 6). Every other field has a variable of its own name. An empty variable and a
    flag that is ``None`` count as absent. Raises `InvalidArguments` for a value that does
    not hold and `SettingsUnreadable` for a file that cannot be read.
    """
    said = {key: value for key, value in environment.items() if key.startswith(PREFIX) and value}
    file = _file(said)
    settings = [_resolve(name, known, flags, said, file) for name, known in _KNOWN.items()]
    values = {setting.name: setting.value for setting in settings}
    limits = _limits(file)
    shown = [
        *settings,
        *(Setting(name=f"limits.{n}", value=v, source=Source.FILE) for n, v in limits.items()),
    ]
    return Config(**cast(Any, values), limits=MappingProxyType(limits), settings=tuple(shown))


def chosen(name: str, given: T | None, configured: T) -> T:
    """Return what a caller *gave* for the setting *name*, or what is *configured* for ``None``.

    Raises `InvalidArguments` for what the file could not say either.
    """
    if given is None:
        return configured
    _parsed(name, _KNOWN[name], str(given), name)
    return given


def child_environment(*, without: frozenset[str]) -> dict[str, str]:
    """Return this process's environment for a child of it, less the variables *without*."""
    return {key: value for key, value in os.environ.items() if key not in without}


def loader_environment() -> dict[str, str]:
    """Return what this interpreter may need to find its shared libraries, and nothing else.

    For children that run the same interpreter: they load what this process has loaded.
    """
    return {key: os.environ[key] for key in _LOADER if key in os.environ}


def mcp_token(environment: Mapping[str, str] = os.environ) -> str | None:
    """Return the bearer token that MCP clients must show over HTTP, where one is set.

    It is no setting: nothing lists it, and no file holds it.
    """
    return environment.get(f"{PREFIX}MCP_TOKEN") or None


def wants_debug(environment: Mapping[str, str] = os.environ) -> bool:
    """Say whether an unexpected error should show where it happened."""
    return environment.get(f"{PREFIX}DEBUG", "").strip().lower() in _YES


def forbids_colour(environment: Mapping[str, str] = os.environ) -> bool:
    """Say whether ``NO_COLOR`` is set to anything, or the terminal knows no styles."""
    return bool(environment.get("NO_COLOR")) or environment.get("TERM") == "dumb"


def _flag(text: str) -> bool:
    word = text.strip().lower()
    if word not in _YES | _NO:
        raise ValueError("1 or 0")
    return word in _YES


def _directory(text: str) -> Path:
    return Path(text).expanduser().absolute()


def _one_of(*words: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text not in words:
            raise ValueError(", ".join(words))
        return text

    return parse


def _platform(kind: str) -> Callable[[], Path]:
    def path() -> Path:
        import platformdirs  # noqa: PLC0415 - not needed where directories are named

        found: Path = getattr(platformdirs, kind)(APPLICATION, appauthor=False)
        return found

    return path


class _Known(NamedTuple):
    """One setting: its variables without the prefix, how text becomes a value, the default."""

    variables: tuple[str, ...]
    parse: Callable[[str], Value] = str
    default: Callable[[], Value] = lambda: None


_SECRETS: Final = _one_of("reject", "redact", "allow")

_KNOWN: Final[Mapping[str, _Known]] = MappingProxyType(
    {
        "root": _Known(
            variables=("HOME", "ROOT"), parse=_directory, default=_platform("user_data_path")
        ),
        "cache": _Known(
            variables=("CACHE",), parse=_directory, default=_platform("user_cache_path")
        ),
        "tenant": _Known(variables=("TENANT",), default=lambda: DEFAULT_TENANT),
        "user": _Known(variables=("USER",), default=lambda: DEFAULT_USER),
        "agent": _Known(variables=("AGENT",)),
        "project": _Known(variables=("PROJECT",)),
        "thread": _Known(variables=("THREAD",)),
        "json": _Known(variables=("JSON",), parse=_flag, default=lambda: False),
        "provider": _Known(variables=("PROVIDER",), parse=_directory),
        "isolation": _Known(
            variables=("ISOLATION",),
            parse=_one_of("thread", "process", "call"),
            default=lambda: "thread",
        ),
        "secrets": _Known(variables=("SECRETS",), parse=_SECRETS, default=lambda: "reject"),
        "transcript_secrets": _Known(
            variables=("TRANSCRIPT_SECRETS",), parse=_SECRETS, default=lambda: "redact"
        ),
    }
)


def _resolve(
    name: str,
    known: _Known,
    flags: Mapping[str, Value],
    said: Mapping[str, str],
    file: Mapping[str, Any],
) -> Setting:
    variable = next((PREFIX + v for v in known.variables if PREFIX + v in said), None)
    shown = variable or PREFIX + known.variables[0]
    if flags.get(name) is not None:
        value, source = _parsed(name, known, flags[name], f"--{name}"), Source.FLAG
    elif variable:
        value, source = _parsed(name, known, said[variable], variable), Source.ENVIRONMENT
    elif name in file:
        value, source = _parsed(name, known, file[name], f"{name} in {FILE_NAME}"), Source.FILE
    else:
        value, source = known.default(), Source.DEFAULT
    return Setting(name=name, value=value, source=source, variable=shown)


def _parsed(name: str, known: _Known, value: object, where: str) -> Value:
    if isinstance(value, bool | Path):
        value = str(value)
    if isinstance(value, str):
        try:
            return known.parse(value)
        except ValueError as problem:
            allowed = str(problem)
    else:
        allowed = "text"
    raise InvalidArguments(
        f"{where} does not hold.", field=name, code="invalid-setting", hint=f"Use {allowed}."
    )


def file_path(environment: Mapping[str, str] = os.environ) -> Path:
    """Return where the configuration file is, or would be."""
    named = environment.get(f"{PREFIX}CONFIG")
    return _directory(named) if named else _platform("user_config_path")() / FILE_NAME


def _file(said: Mapping[str, str]) -> dict[str, Any]:
    """Return what the configuration file says; nothing where there is none."""
    named = said.get(f"{PREFIX}CONFIG")
    try:
        text = file_path(said).read_text(encoding="utf-8")
    except FileNotFoundError:
        if named:
            raise unreadable("it is not there") from None
        return {}
    except OSError as problem:
        raise unreadable(os.strerror(problem.errno or 0)) from None
    except ValueError:
        raise unreadable("it is not UTF-8") from None
    value = _toml(text)
    unknown = sorted(value.keys() - _KNOWN.keys() - {"limits"})
    if unknown:
        raise unreadable(f"it has an unknown key, {unknown[0]!r:.40}")
    return value


def _toml(text: str) -> dict[str, Any]:
    import tomllib  # noqa: PLC0415 - most have no such file, and every start would pay

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        raise unreadable("it is not TOML") from None


def _limits(file: Mapping[str, Any]) -> dict[str, int]:
    limits = file.get("limits", {})
    if not isinstance(limits, dict):
        raise unreadable("limits must be a table, [limits]")
    broken = next((name for name, value in limits.items() if type(value) is not int), None)
    if broken is not None:
        raise unreadable(f"limits.{broken:.40} must be a whole number")
    return dict(limits)


def unreadable(why: str) -> SettingsUnreadable:
    """Return the error for a configuration file that does not hold because of *why*."""
    return SettingsUnreadable(
        f"The configuration file cannot be used: {why}.",
        code=FILE_UNREADABLE,
        hint=f"Mend it, or name another in {PREFIX}CONFIG.",
    )
