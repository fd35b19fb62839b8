"""Prompt-write safety: what may be stored in a document that a model will read as its own."""

from memory_native.safety.guard import (
    BUNDLED_POLICY,
    Policy,
    PromptWriteGuard,
    bundled_guard,
    path_hash,
)
from memory_native.safety.registry import PROTECTED_PATHS, Registry, custom_registry


__all__ = [
    "BUNDLED_POLICY",
    "PROTECTED_PATHS",
    "Policy",
    "PromptWriteGuard",
    "Registry",
    "bundled_guard",
    "custom_registry",
    "path_hash",
]
