"""What ``[memory]`` sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from synapse_ls.formats.memory_options import OPTIONS

_DEFAULTS = {option.path.rpartition(".")[2]: option.default for option in OPTIONS}


def _setting(name: str) -> Any:
    return field(default_factory=lambda: _DEFAULTS[name])


@dataclass(frozen=True, slots=True)
class Memory:
    """See `memory_options` for what each of them means."""

    enabled: bool = _setting("enabled")
    disclosure: str = _setting("disclosure")
    tokens: Mapping[str, int] = _setting("tokens")
    providers: tuple[str, ...] = _setting("providers")
    patience_ms: int = _setting("patience_ms")
    sectors: Mapping[str, tuple[str, ...]] = _setting("sectors")
    other_sector: float = _setting("other_sector")
    relevant: float = _setting("relevant")
    hot: float = _setting("hot")
    warm: float = _setting("warm")
    archive: float = _setting("archive")
    archive_days: int = _setting("archive_days")
    gc: bool = _setting("gc")
    explicit_floor: float = _setting("explicit_floor")
    growth: float = _setting("growth")
    full_evidence: int = _setting("full_evidence")
    access_step: float = _setting("access_step")
    access_most: float = _setting("access_most")
    decay: Mapping[str, float] = _setting("decay")
    expiry: Mapping[str, int] = _setting("expiry")
    sector_days: Mapping[str, int] = _setting("sector_days")

    def plain(self) -> dict[str, Any]:
        """The settings as values that a plan can keep."""
        return {
            name: dict(value) if isinstance(value, Mapping) else value
            for name, value in asdict(self).items()
        }
