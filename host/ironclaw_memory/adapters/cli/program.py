"""The commands by topic, each loaded when it is asked for."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

import click

from ironclaw_memory.adapters.cli.commandlines import NAME
from ironclaw_memory.adapters.cli.envelope import AnswerUnread, print_answer
from ironclaw_memory.adapters.cli.failures import EXIT_CODES
from ironclaw_memory.adapters.cli.invocation import Answer, Invocation
from ironclaw_memory.adapters.cli.verb import Suggesting, global_options


WHOLE: Final = 200  # characters of a first sentence: all of it

COMMANDS: Final[Mapping[str, Mapping[str, str]]] = {
    "Try it": {"demo": "demo"},
    "Documents": {
        "read": "documents",
        "write": "documents",
        "patch": "documents",
        "edit": "edit",
        "search": "search",
        "tree": "tree",
        "profile": "profile",
    },
    "An agent's loop": {
        "call": "calls",
        "tools": "calls",
        "context": "loop",
        "record": "loop",
        "curate": "curate",
        "mcp": "mcp",
    },
    "Permissions": {
        "grant": "grants",
        "grants": "grants",
        "revoke": "grants",
        "pending": "approvals",
        "approve": "approvals",
        "decline": "approvals",
        "policy": "policy",
        "audit": "audit",
    },
    "Versions and upkeep": {
        "history": "versions",
        "diff": "versions",
        "restore": "versions",
        "delete": "removal",
        "rename": "removal",
        "erase": "removal",
        "sweep": "removal",
        "refresh": "refresh",
        "snapshots": "snapshots",
        "restore-snapshot": "snapshots",
        "export": "transfer",
        "import": "transfer",
        "doctor": "doctor",
    },
    "Providers": {"component": "component", "conformance": "conformance"},
    "This command line": {"config": "settings", "completion": "completion"},
}

_MODULE: Final = {name: module for topic in COMMANDS.values() for name, module in topic.items()}


class Program(Suggesting):
    """The root: finds a command in the table and imports its module alone."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the table."""
        return list(_MODULE)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return the command *cmd_name*, if there is one."""
        if cmd_name not in _MODULE:
            return None
        module = import_module(f"ironclaw_memory.adapters.cli.commands.{_MODULE[cmd_name]}")
        commands: Mapping[str, click.Command] = module.COMMANDS
        return commands[cmd_name]

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Read the words before a command; raises `AnswerUnread` where nobody reads the help."""
        try:
            return super().make_context(*args, **kwargs)
        except BrokenPipeError:
            raise AnswerUnread from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; raises `click.Abort` where it cannot say or ask something on its way.

        click would end the process with a code that means something else here.
        """
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            if ctx.ensure_object(Invocation).command is None:  # the help of a command
                raise AnswerUnread from None
            raise click.Abort from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands by topic."""
        for topic, names in COMMANDS.items():
            found = [(name, self.get_command(ctx, name)) for name in names]
            with formatter.section(topic):
                formatter.write_dl(
                    [
                        (name, command.get_short_help_str(WHOLE))
                        for name, command in found
                        if command
                    ]
                )


def _version(context: click.Context, _: click.Parameter, wanted: bool) -> None:  # noqa: FBT001 - click's own signature
    if wanted and not context.resilient_parsing:
        from importlib.metadata import version  # noqa: PLC0415 - slow, and rarely wanted

        ours = version(NAME)
        invocation = context.ensure_object(Invocation)
        if invocation.wants_json:
            print_answer(invocation, Answer(data={"version": ours}))
        else:
            click.echo(f"{NAME} {ours}")
        context.exit()


@click.command(
    NAME,
    cls=Program,
    params=[
        *global_options(hidden=False),
        click.Option(
            ["--version"],
            is_flag=True,
            expose_value=False,
            callback=_version,  # after that of --json, wherever that stands
            help="Show the version and exit.",
        ),
    ],
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="The options above go before or after a command's name. IRONCLAW_MEMORY_HOME, _TENANT, "
    "_USER, _AGENT, _PROJECT, _THREAD, _PROVIDER and _JSON in the environment stand for them; "
    "`config list` shows what is in force. Exit codes: "
    + "; ".join(f"{code} {means}" for code, (means, _) in EXIT_CODES.items()),
)
def program() -> None:
    """Persistent memory for AI agents, in Markdown files that you can open and edit."""
