"""This module defines the settings that a manifest has, and what kind of value each of them takes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple


class SettingKind(NamedTuple):
    """A SettingKind says how the value of a manifest's setting is read: as "state", "bool", "list",
    "word" or "int".
    """

    kind: str
    summary: str


SETTINGS: Mapping[str, SettingKind] = MappingProxyType(
    {
        "STATE": SettingKind("state", "Whether the domain is switched on: `active` or `inactive`."),
        "ALWAYS_ON": SettingKind(
            "bool", "Whether the domain is in every block, without a trigger."
        ),
        "NON_NEGOTIABLE": SettingKind(
            "bool", "Whether the budget may never cut the domain's rules."
        ),
        "AGENT_TRIGGER": SettingKind("word", "The id of the agent that brings the domain in."),
        "WORKFLOW_TRIGGER": SettingKind(
            "word", "The id of the workflow that brings the domain in."
        ),
        "RECALL": SettingKind("list", "Words and phrases in a prompt that bring the domain in."),
        "EXCLUDE": SettingKind(
            "list", "Words and phrases in a prompt that stop the domain's recall."
        ),
        "PATHS": SettingKind("list", "Patterns of files whose use brings the domain in."),
        "EVERY_N_TURNS": SettingKind("int", "Brings the domain in at every n-th prompt."),
        "ON_TOKENS": SettingKind("int", "Brings the domain in each time n more tokens are in use."),
        "EXTENDS": SettingKind(
            "word", "How a squad meets the root: `extend`, `override` or `none`."
        ),
    }
)
GLOBAL_KEYS: Mapping[str, SettingKind] = MappingProxyType(
    {
        "DEVMODE": SettingKind("bool", "Whether the block ends in a section about itself."),
        "GLOBAL_EXCLUDE": SettingKind(
            "list", "Words and phrases in a prompt that stop all recall."
        ),
    }
)


@lru_cache(maxsize=8192)
def split_key(key: str) -> tuple[str, str]:
    """Splits a key of a manifest into domain and setting: ``AGENT_DEV_STATE`` -> ``("AGENT_DEV",
    "STATE")``; ``("", key)`` for a global; else ``("", "")``.
    """
    if key in GLOBAL_KEYS:
        return "", key
    for setting in SETTINGS:
        domain = key.removesuffix(f"_{setting}")
        if domain and domain != key:
            return domain, setting
    return "", ""
