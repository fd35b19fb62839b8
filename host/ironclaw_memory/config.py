"""What flags, the environment, a file and the platform say; the only reader of ``os.environ``.

Each setting comes from the first of: a flag, the environment, the configuration file,
a default. The file is TOML with the names of `Config`'s fields as keys, and a table
``[limits]`` with the names of `sandbox.limits.Limits`.
"""

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, TypeVar, cast

from ironclaw_memory.errors import InvalidArguments, SettingsUnreadable
from ironclaw_memory.model import SCOPE_IDS, id_problem


APPLICATION: Final = "ironclaw-memory"
PREFIX: Final = "IRONCLAW_MEMORY_"  # design.md section 2
FILE_NAME: Final = "config.toml"
FILE_UNREADABLE: Final = "configuration-unreadable"
FILE_INVALID: Final = "configuration-invalid"

DEFAULT_TENANT: Final = "local"
DEFAULT_USER: Final = "me"
"""A command line on somebody's own machine serves that one person until told otherwise."""

Isolation = Literal["thread", "process", "call"]
Secrets = Literal["reject", "redact", "allow"]
Value = str | int | bool | Path | None
_LOADER: Final = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
_YES: Final = frozenset({"1", "true", "yes", "on"})
_NO: Final = frozenset({"0", "false", "no", "off"})
_TOML_LINE: Final = re.compile(r"\(at line (\d+), column \d+\)$")
_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})

_LIMITS: Final = "limits"  # the file's table
_MEND: Final = f"Mend it, or name another in {PREFIX}CONFIG."

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
    flag that is ``None`` count as absent. Raises `InvalidArguments` for a value, a key or a
    file that does not hold, and `SettingsUnreadable` for a file that cannot be read.
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


def chosen_place(name: str, given: str | Path | None) -> Path | None:
    """Return the directory or file that a caller *gave* for the setting *name*, if any.

    Raises `InvalidArguments` for an empty one and for what is no path.
    """
    return None if given is None else _parsed_place(name, given)


def _parsed_place(name: str, given: object) -> Path:
    text = str(given) if isinstance(given, Path) else given
    return Path(str(_parsed(name, _KNOWN[name], text, name)))


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


def chosen_editor(environment: Mapping[str, str] = os.environ) -> tuple[str, str] | None:
    """Return the variable that names the person's editor, and what it says; None where none does."""
    named = ((name, environment.get(name)) for name in ("VISUAL", "EDITOR"))
    return next(((name, editor) for name, editor in named if editor), None)


def _switch(text: str) -> bool:
    word = text.strip().lower()
    if word not in _YES | _NO:
        raise ValueError
    return word in _YES


def _place(text: str) -> Path:
    if not text or "\0" in text:  # an empty one would be where somebody happens to be
        raise ValueError
    try:
        return Path(text).expanduser().absolute()
    except RuntimeError:  # the home of nobody
        raise ValueError from None


def listed(words: Iterable[str], last: str = "and") -> str:
    """Return *words* as a sentence lists them, with *last* before the last of them."""
    *most, end = words
    return f"{', '.join(most)} {last} {end}" if most else end


def _platform(kind: str) -> Callable[[], Path]:
    def path() -> Path:
        import platformdirs  # noqa: PLC0415 - not needed where directories are named

        found: Path = getattr(platformdirs, kind)(APPLICATION, appauthor=False)
        return found

    return path


class _Form(NamedTuple):
    """What a value has to be, in words and as code; *types* are those that the file may use.

    *parse* raises `ValueError` for a text that is none.
    """

    must_be: str
    parse: Callable[[str], Value]
    types: tuple[type, ...] = (str,)


def _one_of(*words: str) -> _Form:
    def parse(text: str) -> str:
        if text not in words:
            raise ValueError
        return text

    return _Form(listed(words, "or"), parse)


_TEXT: Final = _Form("text in quotes", str)
_DIRECTORY: Final = _Form("the path of a directory", _place)
_FILE: Final = _Form("the path of a file", _place)
_SWITCH: Final = _Form(
    "1, true, yes or on, or else 0, false, no or off", _switch, types=(str, bool, int)
)
_SECRETS: Final = _one_of("reject", "redact", "allow")


class _Known(NamedTuple):
    """One setting: its variables without the prefix, what its value has to be, the default."""

    variables: tuple[str, ...]
    form: _Form = _TEXT
    default: Callable[[], Value] = lambda: None


_KNOWN: Final[Mapping[str, _Known]] = MappingProxyType(
    {
        "root": _Known(
            variables=("HOME", "ROOT"), form=_DIRECTORY, default=_platform("user_data_path")
        ),
        "cache": _Known(
            variables=("CACHE",), form=_DIRECTORY, default=_platform("user_cache_path")
        ),
        "tenant": _Known(variables=("TENANT",), default=lambda: DEFAULT_TENANT),
        "user": _Known(variables=("USER",), default=lambda: DEFAULT_USER),
        "agent": _Known(variables=("AGENT",)),
        "project": _Known(variables=("PROJECT",)),
        "thread": _Known(variables=("THREAD",)),
        "json": _Known(variables=("JSON",), form=_SWITCH, default=lambda: False),
        "provider": _Known(variables=("PROVIDER",), form=_FILE),
        "isolation": _Known(
            variables=("ISOLATION",),
            form=_one_of("thread", "process", "call"),
            default=lambda: "thread",
        ),
        "secrets": _Known(variables=("SECRETS",), form=_SECRETS, default=lambda: "reject"),
        "transcript_secrets": _Known(
            variables=("TRANSCRIPT_SECRETS",), form=_SECRETS, default=lambda: "redact"
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
        where = f"{name} in {FILE_NAME}"
        value, source = _parsed(name, known, file[name], where), Source.FILE
        if name in SCOPE_IDS and (problem := id_problem(name, value)):
            raise _no_value(f"{where} {problem}.", field=name)
    else:
        value, source = known.default(), Source.DEFAULT
    return Setting(name=name, value=value, source=source, variable=shown)


def _parsed(name: str, known: _Known, value: object, where: str) -> Value:
    if isinstance(value, known.form.types):
        try:
            return known.form.parse(str(value))
        except ValueError:
            pass
    empty = "is empty and " if value == "" else ""
    raise _no_value(f"{where} {empty}must be {known.form.must_be}.", field=name)


def _no_value(message: str, *, field: str) -> InvalidArguments:
    return InvalidArguments(
        message,
        field=field,
        code="invalid-setting",
        hint="Correct it, or leave it out for the default.",
    )


def file_path(environment: Mapping[str, str] = os.environ) -> Path:
    """Return where the configuration file is, or would be."""
    named = environment.get(f"{PREFIX}CONFIG")
    return (
        Path(named).expanduser().absolute()
        if named
        else _platform("user_config_path")() / FILE_NAME
    )


def _file(said: Mapping[str, str]) -> dict[str, Any]:
    """Return what the configuration file says; nothing where there is none."""
    named = said.get(f"{PREFIX}CONFIG")
    try:
        text = file_path(said).read_text(encoding="utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        if named:
            hint = f"Make it, or name another in {PREFIX}CONFIG, or none."
            raise invalid("it is not there", hint=hint) from None
        return {}
    except IsADirectoryError:
        raise invalid("it is a directory") from None
    except OSError as problem:
        raise _unreadable(os.strerror(problem.errno or 0)) from None
    except ValueError:
        raise invalid("it is not UTF-8") from None
    value = _toml(text)
    keys = [*_KNOWN, _LIMITS]
    unknown = sorted(value.keys() - set(keys))
    if unknown:
        raise unknown_key(unknown[0], keys)
    return value


def _toml(text: str) -> dict[str, Any]:
    import tomllib  # noqa: PLC0415 - most have no such file, and every start would pay

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        found = _TOML_LINE.search(str(problem))
        raise invalid(f"{f'line {found[1]}' if found else 'the end'} of it is no TOML") from None
    except (ValueError, RecursionError):
        raise invalid("it is no TOML") from None


def _limits(file: Mapping[str, Any]) -> dict[str, int]:
    limits = file.get(_LIMITS, {})
    if not isinstance(limits, dict):
        raise invalid("limits must be a table, [limits]", field=_LIMITS)
    for name, value in limits.items():
        if type(value) is not int or value < 0:
            field = f"{_LIMITS}.{name:.40}"
            raise invalid(f"{field} must be a whole number, 0 or more", field=field)
    return dict(limits)


def unknown_key(key: str, known: Iterable[str], *, table: str = "") -> InvalidArguments:
    """Return the error for a *key* of the file, in a *table* of it, that is none of the *known*."""
    named = f"{table}.{key}" if table else key
    return invalid(
        f"it has an unknown key, {named!r:.80}",
        field=named,
        hint=f"Correct it: {f'[{table}]' if table else 'the file'} takes {listed(known)}.",
    )


def invalid(why: str, *, field: str = "", hint: str = "") -> InvalidArguments:
    """Return the error for a configuration file that was read and does not hold, because of *why*."""
    return InvalidArguments(_unusable(why), field=field, code=FILE_INVALID, hint=hint or _MEND)


def _unreadable(why: str) -> SettingsUnreadable:
    return SettingsUnreadable(_unusable(why), code=FILE_UNREADABLE, hint=_MEND)


def _unusable(why: str) -> str:
    return f"The configuration file cannot be used: {why}."
