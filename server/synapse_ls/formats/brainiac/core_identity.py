"""This module parses ``system/core_identity.md``, which says who the agent is: free Markdown,
injected as it is.
"""

from __future__ import annotations

from dataclasses import dataclass

from synapse_ls.formats.brainiac.reserved_headings import find_forgeries, forged_heading_problems
from synapse_ls.formats.suppression_comments import CommentStyle, blank_directives
from synapse_ls.text.parse_result import ParseResult

TITLE = "Core Identity"


@dataclass(frozen=True, slots=True)
class CoreIdentity:
    """A CoreIdentity is an agent's identity: ``body`` is its text without empty lines around it,
    ``line`` where it begins.
    """

    text: str
    body: str
    line: int


def parse(text: str) -> ParseResult[CoreIdentity]:
    """Parses a core identity. Never raises. Problem kinds: ``forged-heading``."""
    told = blank_directives(text, CommentStyle.MARKUP)
    start = len(told) - len(told.lstrip("\ufeff \t\r\n"))
    start = max(told.rfind("\n", 0, start), told.rfind("\r", 0, start)) + 1
    said = told[start:].rstrip().lstrip("\ufeff")
    before = told[:start]
    line = before.count("\n") + before.count("\r") - before.count("\r\n")
    problems = tuple(forged_heading_problems(find_forgeries(told, title=TITLE), told))
    return ParseResult(CoreIdentity(text, said if said.strip() else "", line), problems)
