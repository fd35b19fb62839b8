"""``completion``: what a shell needs to complete our commands."""

import click
from click.shell_completion import get_completion_class

from ironclaw_memory.adapters.cli.commandlines import NAME
from ironclaw_memory.adapters.cli.invocation import Answer, Invocation
from ironclaw_memory.adapters.cli.verb import verb


VARIABLE = "_IRONCLAW_MEMORY_COMPLETE"  # the name click derives from the program's


@verb(
    "completion",
    examples=(
        "ironclaw-memory completion bash > ~/.local/share/bash-completion/completions/ironclaw-memory",
        "ironclaw-memory completion fish > ~/.config/fish/completions/ironclaw-memory.fish",
    ),
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(invocation: Invocation, shell: str) -> Answer:
    """Print the completion script of a shell; put it where the shell reads its own."""
    from ironclaw_memory.adapters.cli.program import program  # noqa: PLC0415 - it lists us

    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError("This version of click does not know the shell.")
    script = kind(program, {}, NAME, VARIABLE).source()
    return Answer(data={"shell": shell, "script": script}, text=script)


COMMANDS = {"completion": completion}
