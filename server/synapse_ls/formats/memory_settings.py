"""This module defines the settings of ``[memory]`` in the configuration: what is told, how
attention is scored, how long memories are kept.

Constants are those of the MIS ("attention score") and of Chati's memory layer; what neither says
is explained in `synapse_ls.memory.attention_score`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from synapse_ls.formats.config_option import Option
from synapse_ls.formats.memory_fields import SECTORS

OPTIONS: tuple[Option, ...] = (
    Option("memory.enabled", "bool", True, "Tell agents what they remember."),
    Option(
        "memory.disclosure",
        "text",
        "profile",
        "How much is told by bracket: as the profile says, or the three levels of ADR-001.",
        ("profile", "adr"),
    ),
    Option(
        "memory.tokens",
        "ints-by-name",
        {"metadata": 50, "summary": 200, "full": 1000},
        "Tokens of all memories in a block, by level, where the profile's bracket says nothing.",
        minimum=0,
    ),
    Option(
        "memory.providers",
        "texts",
        (),
        "Providers of installed packages that are asked beside the tree's own memories.",
    ),
    Option(
        "memory.patience_ms",
        "int",
        15,
        "Milliseconds that a prompt waits for memories that have changed.",
        minimum=0,
    ),
    Option(
        "memory.sectors",
        "texts-by-name",
        {},
        "Sectors that an agent prefers, by its id; without a line of its own as documented.",
        SECTORS,
    ),
    Option(
        "memory.other_sector",
        "number",
        0.8,
        "What memories of sectors that an agent does not prefer are worth, from 0 to 1.",
        minimum=0,
    ),
    Option(
        "memory.relevant",
        "number",
        0.2,
        "How well a WARM memory has to match a prompt to be told, from 0 to 1.",
        minimum=0,
    ),
    Option("memory.hot", "number", 0.7, "The score above which a memory can be HOT.", minimum=0),
    Option("memory.warm", "number", 0.3, "The score from which on a memory is WARM.", minimum=0),
    Option(
        "memory.archive",
        "number",
        0.1,
        "The score below which a memory that nobody uses is put away.",
        minimum=0,
    ),
    Option(
        "memory.archive_days",
        "int",
        90,
        "Days without use after which a memory below that score is put away.",
        minimum=1,
    ),
    Option(
        "memory.gc",
        "bool",
        True,
        "Put away once a day what has expired or nobody needs; else only `synapse memory gc` does.",
    ),
    Option(
        "memory.explicit_floor",
        "number",
        0.75,
        "The least score of what a person said outright, such as a correction.",
        minimum=0,
    ),
    Option(
        "memory.growth",
        "number",
        0.3,
        "The part of what is missing by which confidence grows with each piece of evidence.",
        minimum=0,
    ),
    Option(
        "memory.full_evidence",
        "int",
        10,
        "Pieces of evidence at which that factor of the score is 1.",
        minimum=1,
    ),
    Option("memory.access_step", "number", 0.1, "What each use adds to that factor.", minimum=0),
    Option("memory.access_most", "number", 2.0, "The most that uses can multiply.", minimum=1),
    Option(
        "memory.decay",
        "numbers-by-name",
        {"session": 0.5, "daily": 0.1, "durable": 0.01},
        "How fast memories fade, by storage: the exponent for each day without use.",
        minimum=0,
    ),
    Option(
        "memory.expiry",
        "ints-by-name",
        {"session": 1, "daily": 30, "durable": 0},
        "Days without use after which memories expire, by storage; 0 is never.",
        minimum=0,
    ),
    Option(
        "memory.sector_days",
        "ints-by-name",
        {"episodic": 7, "semantic": 365, "procedural": 30, "reflective": 0},
        "The same by sector, for memories that are not durable; the fewer days count.",
        minimum=0,
    ),
)


_DEFAULTS = {option.path.rpartition(".")[2]: option.default for option in OPTIONS}


def _default_field(name: str) -> Any:
    return field(default_factory=lambda: _DEFAULTS[name])


@dataclass(frozen=True, slots=True)
class MemorySettings:
    """A MemorySettings has the values of ``[memory]``; `OPTIONS` says what each of them means."""

    enabled: bool = _default_field("enabled")
    disclosure: str = _default_field("disclosure")
    tokens: Mapping[str, int] = _default_field("tokens")
    providers: tuple[str, ...] = _default_field("providers")
    patience_ms: int = _default_field("patience_ms")
    sectors: Mapping[str, tuple[str, ...]] = _default_field("sectors")
    other_sector: float = _default_field("other_sector")
    relevant: float = _default_field("relevant")
    hot: float = _default_field("hot")
    warm: float = _default_field("warm")
    archive: float = _default_field("archive")
    archive_days: int = _default_field("archive_days")
    gc: bool = _default_field("gc")
    explicit_floor: float = _default_field("explicit_floor")
    growth: float = _default_field("growth")
    full_evidence: int = _default_field("full_evidence")
    access_step: float = _default_field("access_step")
    access_most: float = _default_field("access_most")
    decay: Mapping[str, float] = _default_field("decay")
    expiry: Mapping[str, int] = _default_field("expiry")
    sector_days: Mapping[str, int] = _default_field("sector_days")

    def to_plain_values(self) -> dict[str, Any]:
        """Returns the settings as values that a plan can keep."""
        return {
            name: dict(value) if isinstance(value, Mapping) else value
            for name, value in asdict(self).items()
        }
