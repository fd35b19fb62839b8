"""Whose memory something is, for people."""

import re
from typing import Final

from ironclaw_memory.config import DEFAULT_TENANT
from ironclaw_memory.model import ABSENT


_KEY: Final = re.compile(
    "tenant:(?P<tenant>[^:]+):user:(?P<user>[^:]+)(?::agent:(?P<agent>[^:]+))?"
    ":project:(?P<project>[^:]+)"
)


def owner(key: str) -> str:
    """Return the owner of an owner key (reference.md section 1) as `whose` says it.

    What is no such key, for instance a name in an imported history, stays as it is.
    """
    found = _KEY.fullmatch(key)
    if found is None:
        return key
    project = None if found["project"] == ABSENT else found["project"]
    return whose(found["tenant"], found["user"], agent=found["agent"], project=project)


def whose(tenant: str, user: str, *, agent: str | None, project: str | None) -> str:
    """Return ``ada``, or ``ada of acme, agent coder, project site``: what says more than nothing."""
    person = user if tenant == DEFAULT_TENANT else f"{user} of {tenant}"
    parts = {"agent": agent, "project": project}
    return ", ".join([person, *(f"{what} {name}" for what, name in parts.items() if name)])
