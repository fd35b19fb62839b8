"""The bundled component and the tutorial's, held to the contract in the sandbox."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.contract.conformance.components import REPOSITORY, built_provider

from ironclaw_memory.conformance import Verdict, conform


pytestmark = pytest.mark.sandbox


def test_the_bundled_component_keeps_every_rule_that_it_declares() -> None:
    """Through the sandbox, in threads."""
    report = conform(None)

    assert [(o.rule.id, o.expected, o.came) for o in report.broken()] == []
    assert report.counts()[Verdict.REFUSED] == 0


def test_the_minimal_component_keeps_every_rule_that_it_declares() -> None:
    """Through the sandbox, in worker processes; what it does not do it refuses."""
    report = conform(built_provider(REPOSITORY / "component" / "minimal"))

    assert [(o.rule.id, o.expected, o.came) for o in report.broken()] == []
    assert report.counts()[Verdict.HELD] > 50
    assert {o.rule.may_refuse for o in report.outcomes if o.verdict is Verdict.REFUSED} == {True}


def test_the_suite_runs_under_pytest(tmp_path: Path) -> None:
    """A rule is a test: held, skipped where not declared, failed with both sides of the matter.

    In a project of its own: the settings of this one would hold where its directory is above
    the installed package, as above a ``.venv``.
    """
    settings = tmp_path / "pytest.ini"
    settings.write_text("[pytest]\n")
    component = built_provider(REPOSITORY / "component" / "minimal")
    command = [
        *(sys.executable, "-m", "pytest", "-q", "-p", "ironclaw_memory.conformance.plugin"),
        *("--memory-provider", str(component), "--pyargs", "ironclaw_memory.conformance"),
        *("-k", "missing-document or finds-chinese", "-p", "no:cacheprovider"),
        *("-c", str(settings), "--rootdir", str(tmp_path)),
    ]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}

    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)

    assert "1 passed, 1 skipped" in done.stdout, done.stdout + done.stderr
