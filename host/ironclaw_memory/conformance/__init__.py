"""The contract suite: hold any provider to what a provider is.

`conform` runs a component through the sandbox and returns a `Report`; `run` holds any
`Subject` to any rules. The pytest plugin beside it does the same under pytest. Names are
imported on first use, since pytest loads the plugin into every test run.
"""

from typing import TYPE_CHECKING

from ironclaw_memory.lazy import attribute_of


if TYPE_CHECKING:
    from ironclaw_memory.conformance.catalogue import RULES
    from ironclaw_memory.conformance.rendering import RENDERERS
    from ironclaw_memory.conformance.report import Outcome, Report, Standing, Verdict
    from ironclaw_memory.conformance.rule import Group, Rule
    from ironclaw_memory.conformance.run import run
    from ironclaw_memory.conformance.sandboxed import conform, opened
    from ironclaw_memory.conformance.subject import Answer, Subject

_HOME = {
    "RENDERERS": "rendering",
    "RULES": "catalogue",
    "Answer": "subject",
    "Group": "rule",
    "Outcome": "report",
    "Report": "report",
    "Rule": "rule",
    "Standing": "report",
    "Subject": "subject",
    "Verdict": "report",
    "conform": "sandboxed",
    "opened": "sandboxed",
    "run": "run",
}

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
    "opened",
    "run",
]


__getattr__ = attribute_of(__name__, _HOME)


def __dir__() -> list[str]:
    return __all__
