"""``system/core_identity.md``: who the agent is. Free Markdown, told as it is."""

from __future__ import annotations

from dataclasses import dataclass

from synapse_ls.formats.brainiac.headings import forgeries
from synapse_ls.formats.brainiac.links import forged
from synapse_ls.formats.directives import Comments, without
from synapse_ls.formats.problem import Parsed

TITLE = "Core Identity"


@dataclass(frozen=True, slots=True)
class CoreIdentity:
    """An identity: ``said`` is its text without empty lines around it, ``line`` where it begins."""

    text: str
    said: str
    line: int


def parse(text: str) -> Parsed[CoreIdentity]:
    """Read an identity. Never raises. Problem kinds: ``forged-heading``."""
    told = without(text, Comments.MARKUP)
    start = len(told) - len(told.lstrip("\ufeff \t\r\n"))
    start = max(told.rfind("\n", 0, start), told.rfind("\r", 0, start)) + 1
    said = told[start:].rstrip().lstrip("\ufeff")
    before = told[:start]
    line = before.count("\n") + before.count("\r") - before.count("\r\n")
    problems = tuple(forged(forgeries(told, title=TITLE), told))
    return Parsed(CoreIdentity(text, said if said.strip() else "", line), problems)
