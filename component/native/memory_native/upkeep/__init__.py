"""What people and the host do to documents (wit/upkeep.wit)."""

from memory_native.upkeep.reports import (
    Adoption,
    ChangeReport,
    DeletedList,
    Erasure,
    Finding,
    RefreshReport,
    SweepReport,
    VersionList,
    VersionRow,
)
from memory_native.upkeep.service import Upkeep


__all__ = [
    "Adoption",
    "ChangeReport",
    "DeletedList",
    "Erasure",
    "Finding",
    "RefreshReport",
    "SweepReport",
    "Upkeep",
    "VersionList",
    "VersionRow",
]
