"""What an examination finds, and that it changes nothing that is not derived."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.unit.cli.fakes import FakeHost

from ironclaw_memory.doctor import places
from ironclaw_memory.doctor.examination import (
    Examination,
    installation_findings,
    scope_reports,
)
from ironclaw_memory.doctor.findings import SENTENCES, Finding, Severity
from ironclaw_memory.doctor.scope import ScopeReport, examined
from ironclaw_memory.doctor.scopes_on_disk import OnDisk, scopes_on_disk
from ironclaw_memory.errors import OperationFailed, UndeclaredTool
from ironclaw_memory.model import Scope
from ironclaw_memory.scopes import directory_of


ANN = Scope(tenant="Acme GmbH", user="ann", agent="über", project=None)


class Provider(FakeHost):
    """A host whose provider reports what it is told to."""

    def __init__(self, *findings: Any, error: Exception | None = None) -> None:
        """Report *findings*, or raise *error*."""
        super().__init__()
        self.findings = findings
        self.error = error
        self.repaired: list[bool] = []

    def check(self, scope: Scope, *, repair: bool = False) -> dict[str, Any]:
        """Report."""
        self.repaired.append(repair)
        if self.error:
            raise self.error
        return {"findings": list(self.findings)}


def made(root: Path, scope: Scope = ANN) -> Path:
    """Make the directory of a scope."""
    directory = root.joinpath(*directory_of(scope))
    directory.mkdir(parents=True)
    return directory


def look(host: FakeHost, root: Path, *, repair: bool = False) -> ScopeReport:
    """Examine the one scope there is."""
    (there,) = scopes_on_disk(root)
    return examined(host, root, there, repair=repair)  # type: ignore[arg-type]


def codes(findings: Iterator[Finding] | tuple[Finding, ...]) -> list[str]:
    """Return the codes that were found, sorted."""
    return sorted(finding.code for finding in findings)


def test_scopes_are_told_from_their_directories(tmp_path: Path) -> None:
    """Ids with capitals, spaces and umlauts come back; an id too long does not."""
    long = Scope(tenant="t", user="u" * 250)
    for scope in (ANN, Scope(tenant="t", user="u"), long):
        made(tmp_path, scope)
    found = {there.scope for there in scopes_on_disk(tmp_path)}
    assert found == {ANN, Scope(tenant="t", user="u"), None}


def test_a_profile_that_does_not_hold_is_found(tmp_path: Path) -> None:
    """It is the user's, so it is looked for where neither agent nor project is named."""
    ann = Scope(tenant="acme", user="ann")
    made(tmp_path, ann)
    host = Provider()
    host.provider.of(ann)["context/profile.json"] = '{"locale": "de"}'
    assert codes(look(host, tmp_path).findings) == []
    host.provider.of(ann)["context/profile.json"] = '{"locale": '
    (found,) = look(host, tmp_path).findings
    assert (found.code, found.path) == ("profile-corrupt", "context/profile.json")


def test_a_profile_too_large_to_be_read_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is one, and nobody can use it."""

    def current(*_: object) -> str:
        raise OperationFailed("is larger than 4 MiB.", code="body-too-large")

    monkeypatch.setattr(Provider, "current", current)
    made(tmp_path, Scope(tenant="acme", user="ann"))
    assert codes(look(Provider(), tmp_path).findings) == ["profile-corrupt"]


def test_a_link_in_place_of_a_scope_is_no_scope(tmp_path: Path) -> None:
    """Directories above a scope are entered without following links."""
    elsewhere = made(tmp_path / "elsewhere")
    users = tmp_path / "memory" / "tenants" / "t" / "users"
    users.mkdir(parents=True)
    (users / "u").symlink_to(elsewhere.parents[3])
    assert list(scopes_on_disk(tmp_path)) == []


def test_an_absent_root_has_no_scopes_and_is_not_made(tmp_path: Path) -> None:
    """Looking leaves nothing behind."""
    root = tmp_path / "none"
    assert list(scopes_on_disk(root)) == []
    assert codes(tuple(places.root_findings(root, repair=True))) == ["root-absent"]
    assert not root.exists()


def test_what_is_no_document_is_named_once(tmp_path: Path) -> None:
    """Seen from outside and reported by the provider, it is still one finding."""
    directory = made(tmp_path)
    (directory / "link.md").symlink_to("/etc/hostname")
    os.mkfifo(directory / "pipe.md")
    (directory / os.fsdecode(b"bad\xff.md")).write_text("x")
    reported = [
        {"code": "link", "path": "link.md"},
        {"code": "fifo", "path": "pipe.md"},
        {"code": "device", "path": "pipe.md"},
        {"code": "name-not-utf8", "path": ""},  # of the directory, which it cannot list
    ]
    report = look(Provider(*reported), tmp_path)
    assert codes(report.findings) == ["link", "name", "pipe"]


def test_disk_use_counts_the_store_apart(tmp_path: Path) -> None:
    """Bytes as allocated, for documents and for what the provider keeps."""
    directory = made(tmp_path)
    (directory / ".store").mkdir()
    (directory / ".store" / "index").write_bytes(b"x" * 10_000)
    (directory / "a.md").write_bytes(b"x" * 100)
    report = look(Provider(), tmp_path)
    assert report.documents == 1
    assert report.bytes >= 100
    assert report.store_bytes >= 10_000


def test_repair_is_passed_on_and_shown(tmp_path: Path) -> None:
    """A mended finding is no trouble any more."""
    made(tmp_path)
    host = Provider({"code": "format-damaged", "path": "", "repaired": True})
    report = look(host, tmp_path, repair=True)
    assert host.repaired == [True]
    assert Examination(installation=(), scopes=(report,)).trouble() == ()


def test_whatever_a_provider_reports_becomes_text(tmp_path: Path) -> None:
    """Wrong types, unknown codes and endless texts do no harm."""
    made(tmp_path)
    report = look(Provider(3, {"code": ["x"], "path": "p" * 9999, "repaired": "yes"}), tmp_path)
    assert [len(finding.path) <= 1024 for finding in report.findings] == [True, True]
    assert {finding.severity for finding in report.findings} == {Severity.TROUBLE}
    assert not any(finding.repaired for finding in report.findings)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (OperationFailed("Newer.", code="store-newer"), ["store-newer"]),
        (OperationFailed("Broken."), ["scope-unexamined"]),
        (UndeclaredTool("No upkeep."), []),
    ],
)
def test_a_provider_that_cannot_check_is_a_finding(
    tmp_path: Path, error: Exception, expected: list[str]
) -> None:
    """The other scopes are examined all the same."""
    made(tmp_path)
    assert codes(look(Provider(error=error), tmp_path).findings) == expected


def test_a_root_that_others_can_enter_is_made_private(tmp_path: Path) -> None:
    """Only with repair."""
    root = tmp_path / "root"
    root.mkdir(mode=0o755)
    assert [(f.code, f.repaired) for f in places.root_findings(root, repair=False)] == [
        ("open-to-others", False)
    ]
    assert [f.repaired for f in places.root_findings(root, repair=True)] == [True]
    assert stat.S_IMODE(root.stat().st_mode) == 0o700


def test_a_file_where_the_root_should_be_is_trouble(tmp_path: Path) -> None:
    """Nothing can be stored there."""
    (tmp_path / "root").write_text("x")
    assert codes(tuple(places.root_findings(tmp_path / "root", repair=False))) == ["root-unusable"]


@pytest.mark.parametrize("name", ["host", "memory"])
@pytest.mark.parametrize("kind", ["shut", "file"])
def test_what_nobody_can_enter_below_the_root_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, kind: str
) -> None:
    """A directory of mode 000, or a file in its place: whatever needs it fails without saying so."""
    tmp_path.chmod(0o700)
    if kind == "file":
        (tmp_path / name).write_text("x")
    else:
        (tmp_path / name).mkdir(mode=0o700)
        shut, access = tmp_path / name, os.access
        monkeypatch.setattr(os, "access", lambda path, mode: path != shut and access(path, mode))
    assert list(places.root_findings(tmp_path, repair=False)) == [
        Finding(code="root-unusable", place="root", path=name)
    ]


def test_a_cache_that_others_can_write_is_not_trusted(tmp_path: Path) -> None:
    """Compiled code would run as it stands."""
    cache = tmp_path / "cache"
    assert codes(tuple(places.cache_findings(cache))) == ["cache-absent"]
    cache.mkdir()
    assert codes(tuple(places.cache_findings(cache))) == []
    cache.chmod(0o777)
    assert codes(tuple(places.cache_findings(cache))) == ["cache-untrusted"]


def test_a_damaged_gate_is_trouble(tmp_path: Path) -> None:
    """Until it is mended everything is denied."""
    assert codes(tuple(places.gate_findings(tmp_path))) == []
    gate = tmp_path / "host" / "gate"
    gate.mkdir(parents=True)
    for name in ("gate.json", "../gate.json"):
        (gate / name).write_text("{")
    (found,) = places.gate_findings(tmp_path)
    assert (found.code, found.path) == ("gate-unreadable", "host/gate/gate.json")
    assert "nothing of memory" in found.sentence


def test_a_host_directory_that_nobody_can_enter_is_examined_all_the_same(tmp_path: Path) -> None:
    """What is in it cannot be read, which the findings about it say."""
    if os.geteuid() == 0:
        pytest.skip("the modes stop no root")
    (tmp_path / "host").mkdir(mode=0)
    assert codes(places.gate_findings(tmp_path)) == ["gate-unreadable", "pins-unreadable"]


def test_what_may_not_be_entered_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Looking into a directory that is closed to this user is a finding and no crash."""

    def closed(self: Path, **_: object) -> os.stat_result:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "stat", closed)
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert codes(places.root_findings(tmp_path, repair=False)) == ["root-unusable"]
    assert codes(places.audit_findings(tmp_path)) == ["audit-unwritable"]


def test_a_cache_that_cannot_be_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every start compiles anew then, which somebody who waits wants to know."""
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert codes(places.cache_findings(tmp_path)) == ["cache-unwritable"]
    assert codes(places.cache_findings(tmp_path / "none")) == ["cache-unwritable"]


def test_a_log_that_is_a_link_is_trouble(tmp_path: Path) -> None:
    """It would be written somewhere else."""
    assert codes(tuple(places.audit_findings(tmp_path))) == []
    (tmp_path / "host").mkdir()
    (tmp_path / "host" / places.AUDIT_FILE).symlink_to(tmp_path / "elsewhere")
    assert codes(tuple(places.audit_findings(tmp_path))) == ["audit-unwritable"]


def test_the_bundled_component_must_be_the_built_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A changed file is found by its digest."""
    broken = tmp_path / "memory.wasm"
    broken.write_bytes(b"changed")
    monkeypatch.setattr(places, "BUNDLED", broken)
    assert codes(tuple(places.component_findings())) == ["component-unreadable"]


def test_an_examination_walks_every_scope(tmp_path: Path) -> None:
    """With progress, and the installation beside it."""
    for user in ("a", "b"):
        made(tmp_path, Scope(tenant="t", user=user))
    steps: list[tuple[int, int]] = []
    reports = scope_reports(
        Provider(),  # type: ignore[arg-type]
        tmp_path,
        repair=False,
        progress=lambda done, total: steps.append((done, total)),
    )
    assert [report.place for report in reports] == [
        "tenant:t:user:a:project:_none",
        "tenant:t:user:b:project:_none",
    ]
    assert steps == [(1, 2), (2, 2)]
    assert "cache-absent" in codes(installation_findings(tmp_path, tmp_path / "c", repair=False))


def test_every_code_has_a_sentence_for_a_line() -> None:
    """Nothing is longer than a terminal is wide, and nothing ends the line itself."""
    assert all(sentence and "\n" not in sentence for _, sentence in SENTENCES.values())
    assert Finding(code="nobody-knows", place="x").severity is Severity.TROUBLE


@pytest.mark.parametrize("code", ["rename-unfinished", "version-staged"])
def test_what_a_killed_call_left_can_be_mended_without_a_write(code: str) -> None:
    """Somebody may want to before the next one; once it is mended nothing helps any more."""
    assert "`doctor --fix`" in Finding(code=code, place="x").sentence
    assert "next write" not in Finding(code=code, place="x", repaired=True).sentence


def test_an_unnamed_scope_is_only_looked_at_from_outside(tmp_path: Path) -> None:
    """Without its ids no guest may be bound to it."""
    made(tmp_path, Scope(tenant="t", user="u" * 250))
    host = Provider()
    (there,) = scopes_on_disk(tmp_path)
    assert isinstance(there, OnDisk)
    report = examined(host, tmp_path, there, repair=False)  # type: ignore[arg-type]
    assert (codes(report.findings), host.repaired) == (["scope-unnamed"], [])
