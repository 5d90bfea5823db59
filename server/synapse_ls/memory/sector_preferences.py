"""This module holds the preferences of agents for sectors of memory: which sectors an agent is told
of (MIS provider; Chati Context Engine's memory layer).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final

PREFERRED_SECTORS: Final[Mapping[str, tuple[str, ...]]] = {
    "dev": ("procedural", "semantic"),
    "qa": ("reflective", "episodic"),
    "architect": ("semantic", "reflective"),
    "pm": ("episodic", "semantic"),
    "po": ("episodic", "semantic"),
    "sm": ("procedural", "episodic"),
    "devops": ("procedural", "episodic"),
    "analyst": ("semantic", "reflective"),
    "data-engineer": ("procedural", "semantic"),
    "ux-design-expert": ("reflective", "procedural"),
    "greenfield-wu": ("semantic", "episodic"),
    "brownfield-wu": ("semantic", "episodic"),
    "brief": ("episodic", "semantic"),
    "detail": ("semantic", "episodic"),
    "ux": ("reflective", "procedural"),
    "phases": ("procedural", "semantic"),
    "tasks": ("procedural", "semantic"),
    "qa-planning": ("reflective", "episodic"),
    "qa-implementation": ("reflective", "episodic"),
}
DEFAULT_SECTORS: Final = ("semantic",)


def preferred_sectors(agent: str, overrides: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Returns the sectors of memory that ``agent`` prefers, "" for nobody: all alike.
    ``[memory.sectors]`` decides first.
    """
    if not agent:
        return ()
    return overrides.get(agent) or PREFERRED_SECTORS.get(agent, DEFAULT_SECTORS)
