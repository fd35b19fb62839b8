"""What every command is: a click command that also takes the global options after its name."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

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
            type=click.Path(path_type=Path) if metavar in {"DIR", "FILE"} else str,
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


class Verb(click.Command):
    """A command whose function takes the `Invocation` and returns an `Answer`."""

    def __init__(self, *args: Any, examples: tuple[str, ...] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params += global_options(hidden=True)
        self.examples = examples

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples as they would be typed."""
        write_examples(formatter, self.examples)

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


class VerbGroup(click.Group):
    """A command with sub-commands, such as ``profile get``; takes the global options too."""

    command_class = Verb

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params += global_options(hidden=True)
