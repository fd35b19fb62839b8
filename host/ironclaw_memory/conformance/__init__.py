"""The contract suite: hold any provider to what a provider is.

`conform` runs a component through the sandbox and returns a `Report`; `run` holds any
`Subject` to any rules. The pytest plugin beside it does the same under pytest. Names are
imported on first use, since pytest loads the plugin into every test run.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any


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


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
