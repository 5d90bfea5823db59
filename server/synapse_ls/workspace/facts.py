"""What one file says: its document, its problems, and what it defines and refers to.

A file is analysed on its own, whatever the others contain (the map step of map-reduce); the
index adds the results up.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from operator import attrgetter
from typing import TypeVar

from synapse_ls.formats.problem import Parsed, Problem
from synapse_ls.text.lines import LineIndex
from synapse_ls.workspace.extract import extract
from synapse_ls.workspace.extract_work import identity
from synapse_ls.workspace.folders import CARL
from synapse_ls.workspace.keys import Definition, Key, Reference, content_key, key
from synapse_ls.workspace.kinds import FileKind

__all__ = [
    "Definition",
    "FileFacts",
    "Key",
    "Reference",
    "analyze",
    "content_key",
    "key",
    "listed",
]

F = TypeVar("F", Definition, Reference)

# By name, because a prompt needs only some of them and YAML is slow to import.
_PARSERS: Mapping[FileKind, str] = {
    FileKind.MANIFEST: "manifest",
    FileKind.RULES: "rules",
    FileKind.COMMANDS: "commands",
    FileKind.CONTEXT: "context",
    FileKind.CONSTITUTION: "constitution",
    FileKind.SQUAD: "squad",
    FileKind.WORKFLOW_STATE: "workflow_state",
    FileKind.WORKFLOW: "workflow",
    FileKind.TASK: "task",
    FileKind.STORY: "story",
    FileKind.AGENT: "agent",
    FileKind.CONFIG: "config",
    FileKind.PATTERNS: "workflow:parse_patterns",
    FileKind.CHAINS: "workflow_chains",
    FileKind.CONSTITUTION_SOURCE: "constitution_source",
    FileKind.TESTS: "tree_tests",
    FileKind.MEMORY: "memory",
    FileKind.SYNCED: "managed",
    FileKind.CARL: "carl.document",
    FileKind.CHATI_SESSION: "chati.session",
    FileKind.CHATI_CONFIG: "chati.config",
    FileKind.CHATI_CONSTITUTION: "chati.constitution",
    FileKind.CHATI_DOMAIN: "chati.domain",
    FileKind.CHATI_AGENT: "chati.agent",
    FileKind.CHATI_WORKFLOW: "chati.workflow",
    FileKind.CHATI_HANDOFF: "chati.handoff",
    FileKind.CHATI_TASK: "chati.task",
    FileKind.CHATI_TASKS: "chati.task:parse_definitions",
    FileKind.CHATI_MEMORY: "chati.memory",
    FileKind.CHATI_GOTCHAS: "chati.gotchas",
    FileKind.CHATI_TRACKED: "chati.gotchas",
    FileKind.CHATI_BRACKETS: "chati.bracket_table",
    FileKind.IDENTITY: "brainiac.identity",
    FileKind.SHORT_TERM: "brainiac.short_term",
    FileKind.LONG_TERM: "brainiac.long_term",
    FileKind.MEMORY_INDEX: "brainiac.index",
    FileKind.ACCESS_LOG: "brainiac.access_log",
}

_CARL_PARSERS: Mapping[FileKind, str] = {
    FileKind.MANIFEST: "carl.manifest",
    FileKind.RULES: "carl.rules",
    FileKind.COMMANDS: "carl.commands",
    FileKind.CONTEXT: "carl.context",
}
"""CARL v1 has the same files and another grammar."""


@dataclass(frozen=True, eq=False)
class FileFacts:
    """Everything that is known of one file.

    ``document`` is what the parser of its kind returned: None for a file that is only listed (then
    ``read`` is false and ``text`` empty) and for kinds without a parser in the workspace.
    ``id`` is what an agent, a workflow or a story calls itself; the file's stem where it does not
    say or was not read. ``mtime_ns`` is the time of the last change on disk in nanoseconds, 0 where
    nobody took it.
    """

    path: str
    kind: FileKind
    text: str = ""
    document: object | None = None
    problems: tuple[Problem, ...] = ()
    definitions: tuple[Definition, ...] = ()
    references: tuple[Reference, ...] = ()
    id: str = ""
    read: bool = True
    mtime_ns: int = 0

    @cached_property
    def lines(self) -> LineIndex:
        """The lines of the text."""
        return LineIndex(self.text)

    @cached_property
    def defined(self) -> Mapping[Key, tuple[Definition, ...]]:
        """The definitions by key, in text order."""
        return _grouped(self.definitions)

    @cached_property
    def said(self) -> Mapping[Key, tuple[Hashable, ...]]:
        """What the file says about each key that it defines, wherever it says it."""
        return {key: tuple([one.value for one in found]) for key, found in self.defined.items()}

    @cached_property
    def mentioned(self) -> Mapping[Key, tuple[Reference, ...]]:
        """The references by key, in text order."""
        return _grouped(self.references)


def analyze(
    path: str,
    kind: FileKind,
    text: str,
    *,
    problems: tuple[Problem, ...] = (),
    mtime_ns: int = 0,
) -> FileFacts:
    """Parse a file and collect what it says. ``problems`` are those of its bytes, from `decode`."""
    parsed = _parse(path, kind, text)
    if kind is FileKind.SYNCED and parsed.document is None:
        problems = ()  # somebody else's file: what its bytes are is none of our business
    definitions, references = _sorted(extract(path, kind, parsed.document))
    return FileFacts(
        path,
        kind,
        text,
        parsed.document,
        tuple(sorted((*problems, *parsed.problems), key=lambda problem: problem.span)),
        definitions,
        references,
        identity(path, kind, parsed.document)[0],
        mtime_ns=mtime_ns,
    )


def listed(path: str, kind: FileKind, *, mtime_ns: int = 0) -> FileFacts:
    """A file that is known to exist and has not been read."""
    definitions, references = _sorted(extract(path, kind, None))
    return FileFacts(
        path,
        kind,
        definitions=definitions,
        references=references,
        id=identity(path, kind, None)[0],
        read=False,
        mtime_ns=mtime_ns,
    )


def _parse(path: str, kind: FileKind, text: str) -> Parsed[object | None]:
    named = _CARL_PARSERS.get(kind) if path.startswith(f"{CARL}/") else None
    named = named or _PARSERS.get(kind)
    if named is None:
        return Parsed(None, ())
    module, _, function = named.partition(":")
    parser = getattr(import_module(f"synapse_ls.formats.{module}"), function or "parse")
    parsed: Parsed[object | None] = parser(text)
    return parsed


def _sorted(
    facts: Iterable[Definition | Reference],
) -> tuple[tuple[Definition, ...], tuple[Reference, ...]]:
    """The definitions and the references among facts, each in text order."""
    placed = sorted(facts, key=attrgetter("span"))
    return (
        tuple(fact for fact in placed if isinstance(fact, Definition)),
        tuple(fact for fact in placed if isinstance(fact, Reference)),
    )


def _grouped(facts: Iterable[F]) -> Mapping[Key, tuple[F, ...]]:
    groups: dict[Key, list[F]] = {}
    for fact in facts:
        groups.setdefault(fact.key, []).append(fact)
    return {name: tuple(group) for name, group in groups.items()}
