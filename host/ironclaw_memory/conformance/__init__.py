"""The contract suite: hold any provider to what a provider is.

`conform` runs a component through the sandbox and returns a `Report`; `run` holds any
`Subject` to any rules. The pytest plugin beside it does the same under pytest.
"""

from pathlib import Path

from ironclaw_memory.conformance.catalogue import RULES
from ironclaw_memory.conformance.rendering import RENDERERS
from ironclaw_memory.conformance.report import Outcome, Report, Standing, Verdict
from ironclaw_memory.conformance.rule import Group, Rule
from ironclaw_memory.conformance.run import Progress, run, silent
from ironclaw_memory.conformance.sandboxed import Say, opened
from ironclaw_memory.conformance.subject import Answer, Subject


__all__ = [
    "RENDERERS",
    "RULES",
    "Answer",
    "Group",
    "Outcome",
    "Report",
    "Rule",
    "Standing",
    "Subject",
    "Verdict",
    "conform",
    "run",
]


def conform(
    path: Path | None, *, progress: Progress = silent, say: Say = lambda line: None
) -> Report:
    """Hold the component in the file *path*, or the bundled one, to every rule.

    *progress* is told each outcome with the numbers done and in all; *say* gets a line
    before a slow step. Render the report with one of `RENDERERS`; its ``exit_code`` is
    that of the command. Raises `ComponentUnreadable`, `InvalidManifest` and `HostFault`.
    """
    with opened(path, say=say) as subject:
        return run(subject, RULES, progress)
