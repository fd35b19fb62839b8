"""``curate``: have a model tidy the memory up, within the rails of the host."""

from typing import TYPE_CHECKING

import click

from ironclaw_memory.adapters.cli.commandlines import completed
from ironclaw_memory.adapters.cli.invocation import Answer, Invocation
from ironclaw_memory.adapters.cli.render.plain import plain
from ironclaw_memory.adapters.cli.render.table import counted
from ironclaw_memory.adapters.cli.trouble import uncurated
from ironclaw_memory.adapters.cli.verb import verb
from ironclaw_memory.errors import RequestError


if TYPE_CHECKING:
    from ironclaw_memory.upkeep.dialogue import Model
    from ironclaw_memory.upkeep.report import CurationReport

VENDORS = ("anthropic", "openai")


@verb(
    "curate",
    examples=("ironclaw-memory curate --dry-run --api anthropic --model claude-sonnet-4-5",),
)
@click.option("--dry-run", is_flag=True, help="Show the difference that it would make.")
@click.option("--api", type=click.Choice(VENDORS), required=True, help="Whose interface to speak.")
@click.option(
    "--model", "name", required=True, metavar="NAME", help="The model, as the vendor names it."
)
@click.option("--base-url", metavar="URL", help="Another server that speaks OpenAI's interface.")
def curate(
    invocation: Invocation,
    dry_run: bool,  # noqa: FBT001 - click passes flags by name
    api: str,
    name: str,
    base_url: str | None,
) -> Answer:
    """Run the provider's curation passes now, with a model that you name.

    Needs the extra of the vendor, and its key where the vendor's SDK looks for it. The
    memory that the pass reads is sent to that model. Writing is gated as for any agent.
    """
    if base_url and api != "openai":
        raise click.UsageError("--base-url goes with --api openai.")
    model = _model(api, name, base_url)
    with invocation.host() as host:
        reports = host.curate(invocation.scope, model, dry_run=dry_run)
    if not reports:
        raise RequestError("The provider declares no pass.", code="undeclared")
    text = "\n".join(_text(report, invocation) for report in reports)
    return Answer(
        data=plain(reports),
        text=invocation.terminal.safe(text),
        trouble=uncurated([report.status for report in reports]),
    )


def _model(api: str, name: str, base_url: str | None) -> "Model":
    if api == "anthropic":
        from ironclaw_memory.adapters.models.anthropic_messages import (  # noqa: PLC0415 - an extra
            AnthropicModel,
        )

        return AnthropicModel.connect(name)
    from ironclaw_memory.adapters.models.openai_compatible import (  # noqa: PLC0415 - an extra
        OpenAICompatibleModel,
    )

    return OpenAICompatibleModel.connect(name, base_url=base_url)


def _text(report: "CurationReport", invocation: Invocation) -> str:
    head = f"{report.pass_id}: {report.status.value}"
    lines = [f"{head} ({report.reason})" if report.reason else head]
    if report.summary:
        lines.append(report.summary)
    calls = (
        f"{counted(report.model_calls, 'model call')}, {counted(report.tool_calls, 'tool call')}"
    )
    lines.append(f"merged {report.merged}, removed {report.removed}; {calls}")
    lines += [f"conflict: {conflict}" for conflict in report.conflicts]
    if report.diff:
        lines += ["", report.diff]
    if report.restore:
        command = completed(f"`{report.restore}`", invocation.flags)
        lines.append(f"{command} brings the earlier text back.")
    return "\n".join(lines)


COMMANDS = {"curate": curate}
