"""What a component may import and must export; everything else is refused by name.

The list is of interfaces, matched by semantic version, so that components of other
languages and toolchains load: a WASI 0.2.x is compatible with any other, and so is a
memory world 0.1.x. That an interface may be imported does not mean that it does
anything: `linker` replaces sockets and sleeping.
"""

import re
from collections.abc import Iterable
from typing import Final

from ironclaw_memory.errors import UnacceptableComponent


PACKAGE: Final = "ironclaw:memory"
OFFERED_VERSION: Final = "0.1"
OWN_IMPORTS: Final = frozenset({"context", "audit", "types"})
EXPORTS: Final = frozenset({"tools", "lifecycle", "upkeep"})

WASI_IMPORTS: Final = frozenset(
    {
        *("cli/environment", "cli/exit", "cli/stdin", "cli/stdout", "cli/stderr"),
        *("cli/terminal-input", "cli/terminal-output"),
        *("cli/terminal-stdin", "cli/terminal-stdout", "cli/terminal-stderr"),
        *("clocks/monotonic-clock", "clocks/wall-clock"),
        *("filesystem/types", "filesystem/preopens"),
        *("io/error", "io/poll", "io/streams"),
        *("random/random", "random/insecure", "random/insecure-seed"),
        *("sockets/network", "sockets/instance-network", "sockets/ip-name-lookup"),
        *("sockets/tcp", "sockets/tcp-create-socket"),
        *("sockets/udp", "sockets/udp-create-socket"),
    }
)
"""WASI 0.2 without ``wasi:http``: what the C and Rust libraries of a guest ask for."""

_NAME: Final = re.compile(r"([a-z0-9-]+:[a-z0-9-]+)/([a-z0-9-]+)@(\d+\.\d+)\.\d+")
_SHOWN: Final = 80  # characters of a foreign name in a message


def admit(imports: Iterable[str], exports: Iterable[str]) -> dict[str, str]:
    """Return the exported interfaces of the contract by short name, as the component spells them.

    Raises `UnacceptableComponent` naming the first import that is not offered, or if no
    interface of a world that this host knows is exported.
    """
    for name in imports:
        if not _offered(name):
            raise UnacceptableComponent(
                f"The component imports {_shown(name)}, which a memory provider is not given.",
                hint="Build it against the world memory-provider, which needs only WASI 0.2.",
            )
    found = dict(_known(exports))
    if not found:
        raise UnacceptableComponent(
            f"The component exports no interface of {PACKAGE}@{OFFERED_VERSION}.x.",
            hint="Use a provider built for this version of the world, or another version of "
            "ironclaw-memory.",
        )
    return found


def _offered(name: str) -> bool:
    match = _NAME.fullmatch(name)
    if match is None:
        return False
    package, interface, version = match.groups()
    if package == PACKAGE:
        return version == OFFERED_VERSION and interface in OWN_IMPORTS
    group = package.removeprefix("wasi:")
    return package != group and version == "0.2" and f"{group}/{interface}" in WASI_IMPORTS


def _known(exports: Iterable[str]) -> Iterable[tuple[str, str]]:
    for name in exports:
        match = _NAME.fullmatch(name)
        if match and match[1] == PACKAGE and match[2] in EXPORTS:
            if match[3] != OFFERED_VERSION:
                raise UnacceptableComponent(
                    f"The component exports {_shown(name)}; this host knows {OFFERED_VERSION}.x.",
                    hint="Use a provider built for this version of the world.",
                )
            yield match[2], name


def _shown(name: str) -> str:
    return "".join(c if c.isascii() and c.isprintable() else "?" for c in name[:_SHOWN])
