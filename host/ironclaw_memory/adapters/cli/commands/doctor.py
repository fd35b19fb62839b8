"""``doctor``: what is wrong, and mending what is derived."""

from typing import TYPE_CHECKING

import click

from ironclaw_memory.adapters.cli.invocation import Answer, Invocation
from ironclaw_memory.adapters.cli.render.plain import plain
from ironclaw_memory.adapters.cli.terminal import Progress
from ironclaw_memory.adapters.cli.trouble import unhealthy
from ironclaw_memory.adapters.cli.verb import verb
from ironclaw_memory.errors import HostFault


if TYPE_CHECKING:
    from ironclaw_memory.doctor.examination import Examination
    from ironclaw_memory.doctor.findings import Finding


@verb("doctor", examples=("ironclaw-memory doctor", "ironclaw-memory doctor --fix"))
@click.option("--fix", is_flag=True, help="Mend what is derived; documents are never touched.")
def doctor(invocation: Invocation, fix: bool) -> Answer:  # noqa: FBT001 - click passes flags by name
    """Examine the installation and every scope: files, versions, index, permissions, disk use.

    Ends with 5 if something has to be done that --fix did not do.
    """
    from ironclaw_memory.adapters.cli.render.examination import drawn  # noqa: PLC0415 - not for help

    found = _examined(invocation, fix=fix)
    data = {
        "installation": [_plain(finding) for finding in found.installation],
        "scopes": [
            {**plain(scope), "findings": [_plain(finding) for finding in scope.findings]}
            for scope in found.scopes
        ],
    }
    trouble = unhealthy(len(found.trouble()))
    return Answer(data=data, text=drawn(found, invocation.terminal), trouble=trouble)


def _examined(invocation: Invocation, *, fix: bool) -> "Examination":
    from ironclaw_memory.doctor.examination import (  # noqa: PLC0415 - not for help
        Examination,
        installation_findings,
        scope_reports,
    )
    from ironclaw_memory.doctor.findings import Finding  # noqa: PLC0415 - see above

    settings = invocation.config
    installation = installation_findings(settings.root, settings.cache, repair=fix)
    try:
        with invocation.host() as host, Progress("Scopes") as bar:
            scopes = scope_reports(host, settings.root, repair=fix, progress=bar.step)
    except HostFault as fault:
        unexamined = Finding(code="scope-unexamined", place="root", path=fault.code)
        return Examination(installation=(*installation, unexamined), scopes=())
    return Examination(installation=installation, scopes=scopes)


def _plain(finding: "Finding") -> dict[str, object]:
    return {
        **plain(finding),
        "severity": finding.severity.value,
        "sentence": finding.sentence,
    }


COMMANDS = {"doctor": doctor}
