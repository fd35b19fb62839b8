"""The names that the package itself offers."""

import ironclaw_memory


def test_every_exported_name_is_where_it_is_looked_for() -> None:
    """They are imported on first use, so that a wrong home would be found by a user."""
    assert [name for name in ironclaw_memory.__all__ if not hasattr(ironclaw_memory, name)] == []
    assert sorted(ironclaw_memory.__all__) == ironclaw_memory.__all__
