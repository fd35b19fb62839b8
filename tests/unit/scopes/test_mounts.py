"""From a path of the host to a mount."""

import os
import stat
from pathlib import Path

import pytest

from ironclaw_memory.errors import RootUnusable
from ironclaw_memory.model import Access, Scope
from ironclaw_memory.scopes import LocalStore, LockMode, Mount, MountKind, scan


SCOPE = Scope(tenant="t", user="u", agent="a", project="p")
HOME = Path("memory/tenants/t/users/u/agents/a/projects/p")


def _mount(root: Path, access: Access, kind: MountKind = MountKind.DOCUMENTS) -> Mount:
    return LocalStore(root).mount(SCOPE, kind=kind, access=access)


def test_access_has_no_default() -> None:
    """Nobody gets to write by leaving a word out."""
    with pytest.raises(TypeError, match="access"):
        Mount(root=Path(), parts=(), guest_path="/memory")  # type: ignore[call-arg]


def test_a_mount_does_not_show_the_host_path(tmp_path: Path) -> None:
    """The host's side of a mount never reaches a message."""
    assert str(tmp_path) not in repr(_mount(tmp_path, Access.READ))


def test_reading_an_absent_scope_makes_nothing(tmp_path: Path) -> None:
    """An absent scope reads as empty: no directory, no lock, not even the root."""
    store, root = LocalStore(tmp_path / "root"), tmp_path / "root"
    mount = store.mount(SCOPE, kind=MountKind.DOCUMENTS, access=Access.READ)

    with (
        store.lock(SCOPE, kind=MountKind.DOCUMENTS, mode=LockMode.SHARED, deadline=0),
        mount.opened() as directory,
    ):
        assert list(os.scandir(directory)) == []
    assert not mount.exists()
    assert scan(mount).documents == {}
    assert not root.exists()


def test_nothing_can_be_made_in_an_absent_scope(tmp_path: Path) -> None:
    """The stand-in for an absent scope takes no files."""
    with (
        _mount(tmp_path, Access.READ).opened() as directory,
        pytest.raises(FileNotFoundError),
    ):
        os.open("x", os.O_CREAT | os.O_WRONLY, dir_fd=directory)


def test_writing_makes_private_directories(tmp_path: Path) -> None:
    """Every directory on the way to a scope is for its owner alone."""
    with _mount(tmp_path / "root", Access.WRITE).opened():
        pass

    made = [path for path in (tmp_path / "root").rglob("*") if path.is_dir()]
    assert tmp_path / "root" / HOME in made
    assert {stat.S_IMODE(path.stat().st_mode) for path in made} == {0o700}


def test_the_profile_is_mounted_alone(tmp_path: Path) -> None:
    """Profile operations see the context folder of tenant and user and nothing else."""
    mount = _mount(tmp_path, Access.WRITE, MountKind.PROFILE)

    with mount.opened():
        pass
    home = tmp_path / "memory/tenants/t/users/u/agents/_none/projects/_none/context"
    assert mount.guest_path == "/memory/context"
    assert home.is_dir()


@pytest.mark.parametrize("step", range(1, len(HOME.parts) + 1))
@pytest.mark.parametrize("access", list(Access))
def test_a_link_on_the_way_is_refused(tmp_path: Path, step: int, access: Access) -> None:
    """A link anywhere between the root and the scope is not followed."""
    root, outside = tmp_path / "root", tmp_path / "outside"
    place = root.joinpath(*HOME.parts[:step])
    outside.joinpath(*HOME.parts[step:]).mkdir(parents=True)
    place.parent.mkdir(parents=True)
    place.symlink_to(outside)

    with pytest.raises(RootUnusable) as caught, _mount(root, access).opened():
        pass
    assert str(tmp_path) not in f"{caught.value} {caught.value.hint}"


def test_a_file_in_the_way_is_refused(tmp_path: Path) -> None:
    """A file where a directory should be is a fault of the host, not an empty scope."""
    (tmp_path / "memory").write_text("")

    with pytest.raises(RootUnusable), _mount(tmp_path, Access.READ).opened():
        pass


def test_the_root_itself_may_be_a_link(tmp_path: Path) -> None:
    """People link their data directory to another disk; that is their own authority."""
    (tmp_path / "disk").mkdir()
    (tmp_path / "root").symlink_to(tmp_path / "disk")

    with _mount(tmp_path / "root", Access.WRITE).opened():
        assert (tmp_path / "disk" / HOME).is_dir()
