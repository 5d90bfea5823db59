"""This module defines a family of MCP prompts: what a person can choose, and the text of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from synapse_ls.engine.compiled_plan import Plan


@dataclass(frozen=True, slots=True)
class PromptEntry:
    """A PromptEntry is a prompt that a person can choose. arguments: (name, what it means), none of
    them required.
    """

    name: str
    title: str
    description: str
    arguments: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class PromptFamily:
    """A PromptFamily holds prompts of one kind. list_prompts: those of a tree, None where there
    is no tree. prompt_text: (root, name, arguments) -> what the user says with it; None where
    the family has no such prompt.
    """

    list_prompts: Callable[[Plan | None], Iterator[PromptEntry]]
    prompt_text: Callable[[str, str, Mapping[str, str]], str | None]
