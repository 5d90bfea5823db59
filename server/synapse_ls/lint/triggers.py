"""The agents and workflows that a manifest waits for, each by one id."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from synapse_ls.formats.manifest import Manifest
from synapse_ls.formats.problem import Text
from synapse_ls.lint.diagnostic import Finding
from synapse_ls.workspace.facts import FileFacts

_LIST = re.compile(r"\w[ \t]*[,;|][ \t]*@?\w")


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


def listed(trigger: Trigger, what: str) -> Finding | None:
    """The finding for a list where one id is expected; ``what`` it is the id of."""
    domain, name = trigger
    if not _LIST.search(name.value):
        return None
    return Finding(
        name.span,
        f"`{name.value[:80]}` is read as one id and no {what} has it, so none ever brings {domain} in.",
        f"Write one id; each further {what} needs a domain of its own.",
    )
