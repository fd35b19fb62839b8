"""``conformance``: hold a provider to the contract."""

from pathlib import Path

import click

from ironclaw_memory.adapters.cli.failures import Failure
from ironclaw_memory.adapters.cli.invocation import Answer, Invocation
from ironclaw_memory.adapters.cli.terminal import Progress, announce
from ironclaw_memory.adapters.cli.verb import verb


FORMS = ("text", "json", "junit")


@verb(
    "conformance",
    examples=("ironclaw-memory conformance my-provider.wasm --report junit > report.xml",),
)
@click.option("--report", type=click.Choice(FORMS), default="text", show_default=True)
@click.argument("component", type=click.Path(path_type=Path), required=False)
def conformance(invocation: Invocation, report: str, component: Path | None) -> Answer:
    """Run the contract suite against a component, by default the bundled one.

    Ends with 0 if it conforms and with 4 if a rule is broken. Runs in a directory of its
    own; no memory of yours is touched.
    """
    from ironclaw_memory.conformance import RENDERERS, conform  # noqa: PLC0415 - loads the sandbox
    from ironclaw_memory.conformance.rendering import as_object  # noqa: PLC0415 - likewise

    chosen = component or invocation.config.provider
    with Progress("Rules") as bar:
        found = conform(chosen, progress=lambda _, done, total: bar.step(done, total), say=announce)
    trouble = Failure(
        code="does-not-conform",
        message="The provider breaks rules of the contract.",
        hint="The report says for each what was expected and what came.",
        exit_code=found.exit_code,
    )
    return Answer(
        data=as_object(found),
        text=RENDERERS[report](found),
        exact=True,
        trouble=None if found.passed else trouble,
    )


COMMANDS = {"conformance": conformance}
