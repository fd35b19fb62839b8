"""Questions to the person at the terminal."""

from typing import Final

import click

from ironclaw_memory.errors import AccessRefused


DECLINED: Final = "declined"


def ask(question: str) -> None:
    """Ask *question* on standard error; raises `AccessRefused` where the answer is no.

    Ctrl-C and an end of input are no answers: they interrupt the command.
    """
    click.echo(f"{question} [y/N]:", err=True, nl=False)  # click asks where nobody reads it, too
    if not click.confirm("", prompt_suffix=" ", show_default=False, err=True):
        raise AccessRefused("Nothing was changed.", code=DECLINED)
