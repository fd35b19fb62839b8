"""What every command is: a click command that also takes the global options after its name."""

from collections.abc import Callable
from functools import partial
from typing import Any

import click

from ironclaw_memory.adapters.cli.dashes import parsed
from ironclaw_memory.adapters.cli.failures import alike
from ironclaw_memory.adapters.cli.invocation import Answer, Invocation


_GLOBALS = (
    ("root", "DIR", "The data directory."),
    ("tenant", "ID", "The tenant, an organisation or installation."),
    ("user", "ID", "The person whose memory it is."),
    ("agent", "ID", "The agent, where memory is kept apart by agent."),
    ("project", "ID", "The project, where memory is kept apart by project."),
    ("thread", "ID", "The conversation."),
    ("provider", "FILE", "A component other than the bundled one."),
)


def _remember(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    """Keep a global option where every command finds it; the last one wins."""
    invocation = context.find_object(Invocation)
    if invocation is not None and value is not None:
        invocation.flags[parameter.name] = value


def global_options(*, hidden: bool) -> list[click.Parameter]:
    """Return the options that are accepted before and after a command's name."""
    options: list[click.Parameter] = [
        click.Option(
            [f"--{name}"],
            metavar=metavar,
            help=text,
            type=click.Path() if metavar in {"DIR", "FILE"} else str,  # as text: "" is no Path
            expose_value=False,
            callback=_remember,
            hidden=hidden,
        )
        for name, metavar, text in _GLOBALS
    ]
    json = click.Option(
        ["--json"],
        is_flag=True,
        default=None,
        help="Print one JSON object, for success and failure alike.",
        expose_value=False,
        is_eager=True,
        callback=_remember,
        hidden=hidden,
    )
    return [*options, json]


def write_examples(formatter: click.HelpFormatter, examples: tuple[str, ...]) -> None:
    """Write command lines one to a line, unwrapped, so that they can be copied."""
    if not examples:
        return
    with formatter.section("Examples"):
        for line in examples:
            formatter.write(f"{'':>{formatter.current_indent}}{line}\n")


def write_shared(formatter: click.HelpFormatter) -> None:
    """Write the names of the global options, which the list of a command's own leaves out."""
    shared = ", ".join(option.opts[0] for option in global_options(hidden=True))
    formatter.write_paragraph()
    formatter.write_text(f"Every command takes {shared} too; `ironclaw-memory --help` has them.")


class Verb(click.Command):
    """A command whose function takes the `Invocation` and returns an `Answer`."""

    def __init__(self, *args: Any, examples: tuple[str, ...] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params += global_options(hidden=True)
        self.examples = examples

    def make_parser(self, ctx: click.Context) -> Any:
        """Return click's parser, which takes ``- green tea`` for text here."""
        parser: Any = super().make_parser(ctx)
        parser.parse_args = partial(parsed, parser.parse_args)
        return parser

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples as they would be typed, and which options every command shares."""
        write_examples(formatter, self.examples)
        write_shared(formatter)

    def invoke(self, ctx: click.Context) -> Any:
        """Note which command runs, then run it."""
        invocation = ctx.find_object(Invocation)
        if invocation is not None:
            invocation.command = ctx.command_path.partition(" ")[2]
        return super().invoke(ctx)


def verb(name: str, **attributes: Any) -> Callable[[Callable[..., Answer]], Verb]:
    """Make a function the command *name*; it gets the `Invocation` first.

    *attributes* are click's, and ``examples``, command lines shown by ``--help``.
    """

    def decorate(function: Callable[..., Answer]) -> Verb:
        passing = click.pass_obj(function)
        return click.command(name, cls=Verb, **attributes)(passing)

    return decorate


class Suggesting(click.Group):
    """A group that names the command somebody may have meant."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; raises `click.UsageError`."""
        try:
            return super().resolve_command(ctx, args)
        except click.NoSuchOption:
            raise
        except click.UsageError:
            meant = alike(args[0], self.list_commands(ctx))
            more = f" Did you mean {' or '.join(meant)}?" if meant else ""
            raise click.UsageError(f"No such command {args[0]!r}.{more}", ctx) from None


class VerbGroup(Suggesting):
    """A command with sub-commands, such as ``profile get``; takes the global options too."""

    command_class = Verb

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params += global_options(hidden=True)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write which options every command shares."""
        write_shared(formatter)
