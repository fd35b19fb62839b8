"""Tool schemas as the vendors' interfaces take them."""

from collections.abc import Mapping
from typing import Any, Final


_REFUSED_AT_THE_TOP: Final = frozenset({"$schema", "oneOf", "anyOf", "allOf", "not"})


def offered_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return *schema* without what both interfaces refuse at its top level.

    The model is told a little less; the host validates against the full schema anyway.
    """
    return {key: value for key, value in schema.items() if key not in _REFUSED_AT_THE_TOP}
