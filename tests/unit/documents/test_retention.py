"""Which versions go, and when."""

import pathlib

from tests.unit.documents.acts import append, bodies, replace
from tests.unit.documents.fakes import NOON, World

from memory_native.documents import Documents
from memory_native.limits import VERSION_BYTES, VERSIONS_KEPT, VERSIONS_MAX
from memory_native.upkeep import Upkeep
from memory_native.versions.retention import expired
from memory_native.versions.rows import Row


DAY_MS = 86_400_000


def test_old_versions_go_and_the_newest_stay(
    world: World, documents: Documents, upkeep: Upkeep
) -> None:
    """Beyond the newest fifty, only the young ones are kept; a dry run only says so."""
    for number in range(VERSIONS_KEPT + 11):
        replace(documents, f"text {number}")
    world.host.unix_ms += 31 * DAY_MS

    dry = upkeep.sweep(dry_run=True)
    assert len(upkeep.history("notes.md").versions) == VERSIONS_KEPT + 10
    assert upkeep.sweep(dry_run=False) == dry
    rows = upkeep.history("notes.md").versions
    assert (dry.versions, len(rows), rows[0].number) == (10, VERSIONS_KEPT, 11)
    assert bodies(upkeep)[0] == "text 10"
    assert dry.bytes > 0


def test_what_stays_is_not_read_from_what_goes(
    world: World, documents: Documents, upkeep: Upkeep
) -> None:
    """The oldest version that stays is stored in full, once the one before it goes."""
    for number in range(VERSIONS_KEPT + 11):
        append(documents, f"fact {number}")
    texts = bodies(upkeep)
    world.host.unix_ms += 31 * DAY_MS
    upkeep.sweep(dry_run=False)

    assert bodies(upkeep) == texts[10:]
    assert upkeep.check(repair=False).endswith('"findings":[]}')


def test_ten_thousand_appends_take_little_space(
    documents: Documents, upkeep: Upkeep, disk: pathlib.Path
) -> None:
    """A thousand here: a version takes what was added and its row, in few files."""
    for number in range(1000):
        append(documents, f"fact {number} {'x' * 100}")
    stored = [p for p in (disk / ".store/versions").rglob("*") if p.is_file()]

    assert sum(p.stat().st_size for p in stored) < 1000 * 500
    assert len(stored) < 60
    assert len(upkeep.history("notes.md").versions) == 999


def test_a_history_is_never_longer_than_a_reply() -> None:
    """Young and small as they are, the oldest versions beyond the maximum go."""
    rows = [
        Row(
            number=number,
            hash="",
            size=1,
            unix_ms=NOON,
            changed_by="",
            base=0,
        )
        for number in range(1, VERSIONS_MAX + 4)
    ]

    assert [row.number for row in expired(rows, stored={}, now_ms=NOON)] == [1, 2, 3]


def test_young_versions_stay(documents: Documents, upkeep: Upkeep) -> None:
    """Within thirty days nothing goes, however many there are."""
    for number in range(VERSIONS_KEPT + 20):
        replace(documents, f"text {number}")

    assert upkeep.sweep(dry_run=False).versions == 0


def test_rewriting_all_day_does_not_fill_the_disk(
    documents: Documents, upkeep: Upkeep, disk: pathlib.Path
) -> None:
    """Young versions go too once the bodies of one document take eight mebibytes."""
    import random  # noqa: PLC0415 - bytes that do not compress

    source = random.Random(1)  # noqa: S311
    for _ in range(130):
        replace(documents, source.randbytes(75_000).hex())
    stored = sum(p.stat().st_size for p in (disk / ".store/versions").rglob("*") if p.is_file())

    assert stored < VERSION_BYTES + 64 * 100_000
    assert len(upkeep.history("notes.md").versions) >= VERSIONS_KEPT
