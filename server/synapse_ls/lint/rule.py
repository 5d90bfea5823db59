"""What a rule is: a code, a severity, the files it looks at, and one of three ways to look.

`ProblemRule` takes over what the parsers and the loader have already seen, `FileRule` needs one
file and nothing else, `TreeRule` needs other files too. A rule is a value, made once by the module
that is its name and its page; ``registry.py`` lists those modules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import TypeAlias

from synapse_ls.formats.problem import Problem
from synapse_ls.lint.diagnostic import Finding, Fix, Severity
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.tree import Tree

Findings: TypeAlias = Iterable[Finding]


class Reach(Enum):
    """How far the change of a key can change what a `TreeRule` finds."""

    FOLDER = "folder"
    """Among the root's own files, or in the squad, that defines or mentions the key."""
    EVERYWHERE = "everywhere"
    """In every file that the rule looks at."""
    SERVED = "served"
    """In the files that serve the domain, and in those beside them that serve none.

    What the files define counts as changed, too: it is said in the name of the domain.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What all rules have.

    ``name`` is that of the rule's module, in kebab-case; ``default`` is whether it runs unasked.
    ``configures`` is whether it looks at what decides on the rules: it runs whatever is selected, or
    else a slip of the pen would switch off the rule that finds it.
    """

    code: str
    name: str
    severity: Severity
    default: bool = True
    configures: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemRule(Rule):
    """A rule for problems of some kinds, whatever parser reports them, or the loader as a note.

    ``remedy`` is for problems that bring none of their own. ``fix`` makes the edits, if there are
    any, from the problem's data. ``understood`` is the severity where the value is odd but read as
    its author meant it.
    """

    claims: tuple[str, ...]
    understood: Severity | None = None
    remedy: str = ""
    fix: Callable[[FileFacts, Problem], Fix | None] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRule(Rule):
    """A rule that looks at one file of the given kinds, whatever the others contain."""

    kinds: frozenset[FileKind]
    check: Callable[[FileFacts], Findings]


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeRule(Rule):
    """A rule that looks at one file of the given kinds in the light of the others.

    Every finding is in that file. ``reads`` says which keys the answer depends on beyond the file
    itself: family -> how far the change of one reaches (see `synapse_ls.workspace.keys.key`).
    """

    kinds: frozenset[FileKind]
    check: Callable[[Tree, FileFacts], Findings]
    reads: Mapping[str, Reach] = field(default_factory=lambda: MappingProxyType({}))
