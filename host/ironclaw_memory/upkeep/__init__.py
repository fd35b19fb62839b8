"""Upkeep: what keeps memory in order between turns, under the host's own rails."""

from ironclaw_memory.upkeep.conversation import CurationPass
from ironclaw_memory.upkeep.curation import CurationHost, PassRun, curate
from ironclaw_memory.upkeep.dialogue import (
    Model,
    ModelMessage,
    ModelReply,
    ToolCall,
    ToolDefinition,
)
from ironclaw_memory.upkeep.rails import CurationRules
from ironclaw_memory.upkeep.report import CurationReport, CurationStatus
from ironclaw_memory.upkeep.schedule import CurationSchedule
from ironclaw_memory.upkeep.turns import Claim, TurnLedger


__all__ = [
    "Claim",
    "CurationHost",
    "CurationPass",
    "CurationReport",
    "CurationRules",
    "CurationSchedule",
    "CurationStatus",
    "Model",
    "ModelMessage",
    "ModelReply",
    "PassRun",
    "ToolCall",
    "ToolDefinition",
    "TurnLedger",
    "curate",
]
