"""One file is the package: what a component carries and asks for, read without running it."""

from ironclaw_memory.package.binary import Section, sections
from ironclaw_memory.package.carried import SECTION_NAME, Carried, embed, extract
from ironclaw_memory.package.surface import Surface, surface


__all__ = [
    "SECTION_NAME",
    "Carried",
    "Section",
    "Surface",
    "embed",
    "extract",
    "sections",
    "surface",
]
