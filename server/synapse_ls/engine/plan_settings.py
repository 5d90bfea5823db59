"""This module puts what a configuration sets into a plan: engine settings, DEVMODE, aliases of
workflow phases.
"""

from __future__ import annotations

from typing import Any

from synapse_ls.engine import workflow_aliases
from synapse_ls.engine.name_slugs import slug_of
from synapse_ls.formats.config_file import Config
from synapse_ls.formats.manifest import Manifest


def is_devmode_on(config: Config, manifest: Manifest | None) -> bool:
    """Tells whether a plan's settings show the DEVMODE section unless a session says otherwise."""
    if config.devmode is not None:
        return config.devmode
    return manifest is not None and manifest.devmode


def engine_settings(config: Config) -> dict[str, Any]:
    """Returns the settings of the engine that a plan has, by name, as plain values."""
    return {
        "matching": config.matching,
        "match_everything": config.match_everything,
        "injection": config.injection,
        "refresh": config.refresh,
        "tokens_per_prompt": config.usage.avg_tokens_per_prompt,
        "max_context": config.usage.max_context,
        "windows": dict(config.usage.windows),
        "stale_hours": config.session.stale_hours,
        "kept_megabytes": config.session.kept_megabytes,
        "log_blocks": config.log.blocks,
        "guard": config.guard.mode,
        "develop": tuple(config.commands.develop),
        "develop_tasks": ("dev-develop-story", "develop-story"),
        "activate": tuple(config.commands.activate),
        "activation": {
            "greeting": config.activation.greeting,
            "user_profile": config.activation.user_profile,
            "timeout_ms": config.activation.timeout_ms,
            "session_start": config.activation.session_start,
        },
        "places": {
            "agents": tuple(config.paths.agents),
            "patterns": tuple(config.paths.patterns),
            "stories": tuple(config.paths.stories),
            "chains": tuple(config.paths.chains),
            "states": tuple(config.paths.states),
            "squads": tuple(config.paths.squads),
            "workflows": tuple(config.paths.workflows),
        },
        "memory": config.memory.to_plain_values(),
        "spawn": config.recovery.spawn,
        "learning": config.learning.enabled,
        "agent": "",
    }


def phase_aliases(config: Config, canonical_ids: dict[str, str]) -> dict[str, dict[str, str]]:
    """Returns the aliases of phases that the configuration sets for a plan: workflow -> other names
    of its phases -> the phases.
    """
    table = {workflow: dict(phases) for workflow, phases in workflow_aliases.PHASES.items()}
    for workflow, phases in config.workflow_phases.items():
        slug = slug_of(workflow)
        own = table.setdefault(canonical_ids.get(slug, slug), {})
        own.update({slug_of(k): slug_of(v) for k, v in phases.items()})
    return table
