"""What a lint rule is: a code, a severity, the files it checks, and one of three ways to check.

`ProblemRule` reports problems of parsers and the loader, `FileRule` needs one file, `TreeRule`
others too. Each is a row of its family's table; the ``check`` of a file or tree rule stands in the
module of its name, with its page. Results may be cached for the life of a tree,
home or file.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from enum import Enum
from functools import wraps
from types import MappingProxyType
from typing import TypeAlias, TypeVar
from weakref import WeakKeyDictionary

from synapse_ls.text.finding import Finding, Fix, Severity
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import RULE_KINDS, FileKind
from synapse_ls.workspace.rule_tree import Tree

# What the module and the row of a rule need: the classes, and what a check is given.
__all__ = [
    "RULE_KINDS", "FileFacts", "FileKind", "FileRule", "Findings", "LintRule", "ProblemRule",
    "Reach", "Tree", "TreeRule", "weak_cache",
]  # fmt: skip

Findings: TypeAlias = Iterable[Finding]


class Reach(Enum):
    """A Reach says in which files a rule of the linter can find something else after the change of
    a key.
    """

    # Among the root's own files, or in the squad, that defines or mentions the key.
    FOLDER = "folder"
    # In every file that the rule looks at.
    EVERYWHERE = "everywhere"
    # In the files that serve the domain, and in those beside them that serve none.
    #
    # What the files define counts as changed, too: it is said in the name of the domain.
    SERVED = "served"


@dataclass(frozen=True, slots=True)
class LintRule:
    """What all kinds of rules have in common.

    ``name`` is that of its module or Markdown file, in kebab-case; ``default`` is whether it runs
    without being selected. ``checks_configuration`` is whether it checks what decides on the rules:
    it runs whatever is selected, or else a misspelling would switch off the rule that finds it.
    """

    code: str
    name: str
    severity: Severity
    _: KW_ONLY
    default: bool = True
    checks_configuration: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemRule(LintRule):
    """A lint rule that reports problems of some kinds that a parser, or the loader as a note, has
    found.

    ``claims`` are the kinds of problems, where they are not one that is called as the rule is;
    ``hints`` those of them that weigh no more than a hint. ``remedy`` is for problems that bring
    none of their own.
    ``fix`` makes the edits, if there are any, from the problem's data. ``severity_if_understood``
    is the severity where the value is odd but read as its author meant it. ``told_only`` is whether
    the problems matter only in a file that is told: not in a rule file of no domain.
    """

    claims: tuple[str, ...] = ()
    severity_if_understood: Severity | None = None
    hints: tuple[str, ...] = ()
    remedy: str = ""
    fix: Callable[[FileFacts, Finding], Fix | None] | None = None
    told_only: bool = False

    @property
    def problem_kinds(self) -> tuple[str, ...]:
        """The kinds of problems that it reports."""
        return self.claims or (self.name,)


@dataclass(frozen=True, slots=True)
class FileRule(LintRule):
    """A lint rule that checks one file of the given kinds, whatever the other files contain: its
    module has ``check(facts)``, which yields findings.

    ``reads_text`` is whether it is about what rules say rather than how a file is written: such a
    rule checks the parts of ``carl.json`` as well, without its fixes, which are edits of lines.
    """

    kinds: Collection[FileKind]
    _: KW_ONLY
    reads_text: bool = False


@dataclass(frozen=True, slots=True)
class TreeRule(LintRule):
    """A lint rule that checks one file of the given kinds against the other files of the tree: its
    module has ``check(tree, facts)``.

    Every finding is in that file. ``reads`` says which keys the answer depends on beyond the file
    itself: family -> how far the change of one reaches (see
    `synapse_ls.workspace.fact_extraction`). ``reads_text`` is that of a `FileRule`.
    """

    kinds: Collection[FileKind]
    _: KW_ONLY
    reads_text: bool = False
    reads: Mapping[str, Reach] = field(default_factory=lambda: MappingProxyType({}))


K = TypeVar("K")
T = TypeVar("T")


def weak_cache(function: Callable[[K], T]) -> Callable[[K], T]:
    """Cache the answer of a function for as long as its argument (a tree, a home, a file) lives."""
    answers: WeakKeyDictionary[K, T] = WeakKeyDictionary()

    @wraps(function)
    def answer(argument: K) -> T:
        if argument not in answers:
            answers[argument] = function(argument)
        return answers[argument]

    return answer
