"""``snapshots`` and ``restore-snapshot``: copies of a whole scope."""

from typing import TYPE_CHECKING

import click

from ironclaw_memory.adapters.cli.invocation import Answer, Invocation
from ironclaw_memory.adapters.cli.render.dates import ago
from ironclaw_memory.adapters.cli.render.plain import plain
from ironclaw_memory.adapters.cli.render.table import columns, size
from ironclaw_memory.adapters.cli.verb import verb


if TYPE_CHECKING:
    from ironclaw_memory.safekeeping import Safekeeping


@verb("snapshots")
@click.option("--take", is_flag=True, help="Take one now.")
def snapshots(invocation: Invocation, take: bool) -> Answer:  # noqa: FBT001 - click passes flags by name
    """List the snapshots of this scope, newest first.

    One is taken before an unbundled provider's first granted write of a day.
    """
    kept, now_ms = _snapshots(invocation), invocation.now_ms()
    if take:
        kept.take(invocation.scope, now_ms=now_ms)
    found = kept.all(invocation.scope)
    rows = [("id", "taken", "files", "size")]
    rows += [(s.id, ago(s.taken_ms, now_ms=now_ms), str(s.files), size(s.bytes)) for s in found]
    return Answer(data=plain(found), text=columns(rows) if found else "There are no snapshots.")


@verb("restore-snapshot", examples=("ironclaw-memory restore-snapshot snapshot-20261129-01234567",))
@click.argument("snapshot_id", metavar="ID")
def restore_snapshot(invocation: Invocation, snapshot_id: str) -> Answer:
    """Replace the whole content of this scope by a snapshot; what was there becomes one too."""
    snapshots, scope = _snapshots(invocation), invocation.scope
    found = snapshots.find(scope, snapshot_id)
    wanted = found.id if found else snapshot_id  # what is not there is refused below
    before = snapshots.restore(scope, wanted, now_ms=invocation.now_ms())
    kept = f" What was there before is {before.id}." if before else ""
    return Answer(
        data={"restored": wanted, "before": plain(before)}, text=f"Restored {wanted}.{kept}"
    )


def _snapshots(invocation: Invocation) -> "Safekeeping":
    from ironclaw_memory.capability.audit import AuditLog  # noqa: PLC0415 - not for help
    from ironclaw_memory.safekeeping import Safekeeping  # noqa: PLC0415 - see above
    from ironclaw_memory.scopes import HOST_DIRECTORY, LocalStore  # noqa: PLC0415 - see above

    root = invocation.config.root
    directory = root / HOST_DIRECTORY
    return Safekeeping(LocalStore(root), directory, AuditLog(directory))


COMMANDS = {"snapshots": snapshots, "restore-snapshot": restore_snapshot}
