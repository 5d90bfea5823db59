"""The agents and workflows that a manifest waits for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from synapse_ls.formats.manifest import Manifest
from synapse_ls.formats.problem import Text
from synapse_ls.workspace.facts import FileFacts


class Trigger(NamedTuple):
    """The id that ``domain`` waits for."""

    domain: str
    id: Text


def triggers_of(facts: FileFacts, setting: str) -> Iterator[Trigger]:
    """The triggers of a manifest's active domains; ``setting`` says of what kind."""
    domains = facts.document.domains if isinstance(facts.document, Manifest) else {}
    for declaration in domains.values():
        entry = declaration.entries.get(setting)
        if entry and entry.value.value and declaration.active:
            yield Trigger(declaration.name, entry.value)
